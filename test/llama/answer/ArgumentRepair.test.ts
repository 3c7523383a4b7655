import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { repaired } from "../../../src/llama/answer/ArgumentRepair.ts"

const repair = (raw: string, isHarmless = true) =>
  repaired({ _tag: "Unusable", raw, why: "the arguments are not valid JSON" }, isHarmless)

const file = { path: "a.txt" }

/** What stands in a call, and the object that it means. */
const meant: ReadonlyArray<readonly [what: string, raw: string, value: { readonly [key: string]: unknown }]> = [
  ["a comma at the end", '{"path": "a.txt",}', file],
  ["a comma at the end of an array", '{"paths": ["a", "b",]}', { paths: ["a", "b"] }],
  ["no comma between keys", '{"path": "a.txt" "limit": 3}', { path: "a.txt", limit: 3 }],
  ["single quotes", "{'path': 'a.txt'}", file],
  ["double quotes in single ones", `{'command': 'echo "hi"'}`, { command: 'echo "hi"' }],
  ["an apostrophe in double quotes", `{"text": "it's", 'n': 1}`, { text: "it's", n: 1 }],
  ["keys without quotes", '{path: "a.txt", limit: 3}', { path: "a.txt", limit: 3 }],
  ["constants of Python", '{"all": True, "some": False, "none": None}', { all: true, some: false, none: null }],
  ["line breaks in a string", '{"content": "one\n\ttwo\r\n"}', { content: "one\n\ttwo\r\n" }],
  ["escapes beside a comma too many", String.raw`{"text": "a\\b\n\u00e9\"",}`, { text: 'a\\b\né"' }],
  ["a code fence", '```json\n{"path": "a.txt"}\n```', file],
  ["a code fence, and a comma too many", '```\n{"path": "a.txt",}\n```', file],
  ["an object that is encoded twice", JSON.stringify(JSON.stringify(file)), file],
  ["an object that is encoded twice, without its quotes", String.raw`{\"path\": \"a.txt\"}`, file],
  ["a brace too many", '{"path": "a.txt"}}', file],
  ["no brace at the end", '{"path": "a.txt"', file],
  ["no brace at the end, behind an array", '{"paths": ["a", "b"]', { paths: ["a", "b"] }],
  ["a brace in place of a bracket", '{"paths": ["a", "b"}', { paths: ["a", "b"] }]
]

/** What would have to be guessed. */
const guesses: ReadonlyArray<readonly [what: string, raw: string, why?: string]> = [
  ["an open string", '{"command": "rm -rf build', "a string is not closed"],
  ["an open string in single quotes", "{'command': 'rm -rf build", "a string is not closed"],
  ["a value that is missing", '{"path": '],
  ["a value that is missing behind its comma", '{"path": "a.txt", "limit": }'],
  ["a key without a value", '{"path"}'],
  ["a key without a colon", '{"path" "a.txt"}'],
  ["a number at the end, which may go on", '{"path": "a.txt", "limit": 10'],
  ["a word at the end, which may go on", '{"path": "a.txt", "all": true'],
  ["a comma at the end, which may go on", '{"path": "a.txt",', "a bracket is not closed"],
  ["an array that may go on", '{"paths": ["a", "b"'],
  ["an array that has only begun", '{"paths": ['],
  ["a missing brace in a nested object", '{"url": "u", "headers": {"a": "b", "body": "x"}'],
  ["a missing bracket in the middle", '{"paths": ["a", "b", "x": 1}'],
  ["backslashes of Windows", String.raw`{"path": "C:\dir\a.txt",}`, "a backslash in a string"],
  ["a backslash of a regular expression", String.raw`{"pattern": "\d+"}`, "a backslash in a string"],
  ["backslashes in an object that is encoded half", String.raw`{\"path\": \"C:\\new\"}`, "stands where it cannot"],
  ["a quote that needs no backslash", String.raw`{"text": "it\'s"}`, "a backslash in a string"],
  ["a code point that is cut", String.raw`{"text": "\u00", "n": 1,}`, "a backslash in a string"],
  ["quotes in a string", '{"command": "echo "hi" there"}'],
  ["an apostrophe in single quotes", "{'text': 'it's', 'n': 1}"],
  ["values without quotes", "{command: rm -rf build}"],
  ["values without quotes, of one word", "{command: ls}"],
  ["a file name without quotes", '{"path": README.md}'],
  ["texts that are joined", '{"text": "a" + "b"}', ""],
  ["what is left out", '{"paths": ["a", ...]}'],
  ["a comment", '{"path": "a.txt" /* or b.txt */}', '"/" stands where it cannot'],
  ["quotes of a typesetter", "{“path”: “a.txt”}", '"“" stands where it cannot'],
  ["a number that is none", '{"limit": 007}'],
  ["two objects", '{"path": "a.txt"}{"path": "b.txt"}'],
  ["words before it", 'Sure: {"path": "a.txt"}'],
  ["words behind it", '{"path": "a.txt"} and go on'],
  ["an array", '["a.txt",]'],
  ["an object in an array", '[{"path": "a.txt"}]'],
  ["null", "null"],
  ["a text", '"a.txt"'],
  ["nothing", ""]
]

describe("ArgumentRepair", () => {
  it.effect.each(meant)("understands %s", ([, raw, value]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* repair(raw), { _tag: "Parsed", value })
    })
  )

  it.effect.each(guesses)("guesses nothing of %s", ([, raw, why = "the arguments are not valid JSON"]) =>
    Effect.gen(function* () {
      const args = yield* repair(raw)
      assert.deepInclude(args, { _tag: "Unusable", raw })
      assert.include(args._tag === "Unusable" ? args.why : "", why)
    })
  )

  it.effect(
    "adds no bracket where a call that lacks its last keys could do harm: not all servers say that it was cut",
    () =>
      Effect.gen(function* () {
        const open = yield* repair('{"command": "rm -rf build"', false)
        assert.deepInclude(open, { _tag: "Unusable", why: "the arguments are not valid JSON: a bracket is not closed" })
        assert.deepStrictEqual(yield* repair('{"command": "ls",}}', false), {
          _tag: "Parsed",
          value: { command: "ls" }
        })
      })
  )

  it.effect("leaves alone what is nested too deep, and what is too long to look at", () =>
    Effect.gen(function* () {
      const deep = `{"a": ${"[".repeat(220)}${"]".repeat(220)},}`
      assert.deepInclude(yield* repair(deep), { _tag: "Unusable", why: "the arguments are nested too deep" })
      const parsed = deep.replace(",}", "}")
      assert.deepInclude(yield* repair(parsed), { _tag: "Unusable", raw: parsed })
      assert.deepInclude(yield* repair(`{"a": "${"x".repeat(1_000_000)}",}`), { _tag: "Unusable" })
    })
  )

  it.effect.each<readonly [string, string]>([
    ["one long text", `{"content": "${"x\n".repeat(450_000)}",}`],
    ["many keys", `{${Array.from({ length: 30_000 }, (_, at) => `k${at}: "v"`).join()}}`],
    ["many texts without commas", `{"a": [${'"b" '.repeat(100_000)}]}`],
    ["some texts without commas behind a long one", `{"a": ["${"x".repeat(900_000)}" ${'"b" '.repeat(490)}]}`],
    ["some texts without commas before a long one", `{"a": [${'"b" '.repeat(490)} "${"x, ".repeat(300_000)}"]}`],
    ["many quotes of the other kind", `{'a': '${'"'.repeat(300_000)}'}`],
    ["many quotes in a row", `{"a": ${'""'.repeat(100_000)}}`],
    ["many open brackets", `{"a": ${"[".repeat(100_000)}`]
  ])("is soon done with %s", ([, raw]) => repair(raw))

  it("makes nothing of the beginning of an object but the whole of it", async () => {
    const value = fc.dictionary(
      fc.string({ minLength: 1 }),
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 })),
      { minKeys: 1, maxKeys: 4 }
    )
    await fc.assert(
      fc.asyncProperty(value, fc.nat(), async (object, cut) => {
        const text = JSON.stringify(object)
        const args = await Effect.runPromise(repair(text.slice(0, cut % text.length)))
        if (args._tag === "Unusable") return
        // Every value that is there is whole.
        for (const [key, each] of Object.entries(args.value)) {
          const whole = object[key]
          if (Array.isArray(whole) && Array.isArray(each)) assert.deepStrictEqual(each, whole.slice(0, each.length))
          else assert.deepStrictEqual(each, whole)
        }
      })
    )
  })
})
