import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { demoScript } from "../../../src/llama/scripted/DemoScript.ts"
import type { ModelRequest } from "../../../src/llama/LlamaClient.ts"
import { LlamaClient } from "../../../src/llama/LlamaClient.ts"
import type { Script } from "../../../src/llama/scripted/Script.ts"
import { parse, stepAt } from "../../../src/llama/scripted/Script.ts"
import * as ScriptedModel from "../../../src/llama/scripted/ScriptedModel.ts"
import { textOf } from "../support/captures.ts"
import { outcome, question } from "../support/client.ts"

const play = (script: Script, request: ModelRequest = question()) =>
  Effect.flatMap(Layer.build(ScriptedModel.fromScript(script)), (context) =>
    outcome(Context.get(context, LlamaClient).stream(request))
  )
const only = (step: Script["turns"][number]["steps"][number]): Script => ({ turns: [{ steps: [step] }] })

const written = (text: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "script-"))
      const path = join(folder, "script.json")
      writeFileSync(path, text)
      return { folder, path }
    }),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

describe("a scripted model", () => {
  it.effect("says in order what its step holds", () =>
    Effect.gen(function* () {
      const { events } = yield* play(
        only({
          prefill: [{ processed: 5, total: 9, cached: 2 }],
          reasoning: "hm hm",
          text: "I look.",
          toolCalls: [
            { name: "fs.list", arguments: { path: "." } },
            { name: "fs.read", arguments: '{"path": "' },
            { name: "attach" }
          ],
          usage: { promptTokens: 9, completionTokens: 3 }
        })
      )
      assert.deepStrictEqual(events, [
        { _tag: "Prefill", processed: 5, total: 9, cached: 2 },
        { _tag: "Reasoning", text: "hm" },
        { _tag: "Reasoning", text: " hm" },
        { _tag: "Text", text: "I" },
        { _tag: "Text", text: " look." },
        {
          _tag: "Finished",
          reason: "tool_calls",
          calls: [
            { name: "fs.list", args: { _tag: "Parsed", value: { path: "." } } },
            {
              name: "fs.read",
              args: { _tag: "Unusable", raw: '{"path": "', why: "the arguments are not valid JSON" }
            },
            { name: "attach", args: { _tag: "Parsed", value: {} } }
          ],
          usage: { promptTokens: 9, cachedTokens: 0, completionTokens: 3 }
        }
      ])
    })
  )

  it.effect("cuts its text where it is told, never inside a character, and loses nothing", () =>
    Effect.gen(function* () {
      const text = "  Hello, 日本語のとても長い文 👩‍💻🚀!\n\n\tbye  \n"
      for (const chunkSize of [undefined, 1, 3, 100]) {
        const { events } = yield* play(only({ text, ...(chunkSize === undefined ? {} : { chunkSize }) }))
        assert.strictEqual(textOf(events), text)
        assert.isTrue(events.every((event) => event._tag !== "Text" || event.text.isWellFormed()))
      }
      const { events } = yield* play(only({ chunks: ["a", "bc", ""], text: "not this", repeat: 2 }))
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "Text" ? [event.text] : [])),
        ["a", "bc", "", "a", "bc", ""]
      )
    })
  )

  it.effect("takes the time that it is told to", () =>
    Effect.gen(function* () {
      const call = yield* Effect.forkChild(play(only({ loadingMs: 1000, text: "a b c", delayMs: 100 })))
      yield* TestClock.adjust(1299)
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust(1)
      const { events } = yield* Fiber.join(call)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Loading", "Text", "Text", "Text", "Finished"]
      )
    })
  )

  for (const kind of ["Unreachable", "Loading", "Rejected", "Malformed", "Cut", "Stalled", "Overflow"] as const) {
    it.effect(`fails as ${kind} after its words`, () =>
      Effect.gen(function* () {
        const { events, failure } = yield* play(only({ text: "well", failure: { kind, message: "no" } }))
        assert.strictEqual(textOf(events), "well")
        assert.deepInclude(failure, { _tag: kind, detail: "no" })
      })
    )
  }

  it.effect("hangs until it is left", () =>
    Effect.gen(function* () {
      const layer = ScriptedModel.fromScript(only({ text: "well then", hang: true }))
      const client = Context.get(yield* Layer.build(layer), LlamaClient)
      assert.strictEqual(textOf(yield* Stream.runCollect(Stream.take(client.stream(question()), 2))), "well then")
    })
  )
})

describe("the step of a script", () => {
  const script: Script = {
    turns: [
      { steps: [{ text: "1.1" }, { text: "1.2" }] },
      { when: { userTextIncludes: "weather" }, steps: [{ text: "rain" }] },
      { steps: [{ text: "2.1" }] }
    ]
  }
  const textAt = (from: Script, turn: number, step: number, text = "hi") =>
    stepAt(from, [...Array.from({ length: turn }, () => "hi"), text], step).text
  it("is found by the turn and the step", () => {
    assert.deepStrictEqual([textAt(script, 0, 0), textAt(script, 0, 1), textAt(script, 1, 0)], ["1.1", "1.2", "2.1"])
  })
  it("is found by what the user said", () => assert.strictEqual(textAt(script, 0, 0, "the weather?"), "rain"))
  it("is that of the next turn in order, whatever `when` has answered before", () => {
    const texts = ["hi", "the weather?", "hi", "and the weather?"]
    assert.deepStrictEqual(
      texts.map((_, index) => stepAt(script, texts.slice(0, index + 1), 0).text),
      ["1.1", "rain", "2.1", "rain"]
    )
  })
  it("is a fixed sentence where the script has none", () => {
    assert.strictEqual(textAt(script, 2, 0), "The script has nothing more to say here.")
    assert.strictEqual(textAt(script, 0, 2), "The script has nothing more to say here.")
  })
  it("is what the script says otherwise", () => {
    assert.strictEqual(textAt({ ...script, otherwise: { text: "eh?" } }, 2, 0), "eh?")
    assert.strictEqual(textAt({ ...script, otherwise: "loop" }, 3, 0), "2.1")
  })
})

describe("a script that cannot be played", () => {
  const rows: ReadonlyArray<readonly [text: string, why: string]> = [
    ["", "not JSON: Unexpected end of JSON input"],
    ["[]", "script: expected object, got array"],
    ["{}", "script.turns: expected array, got nothing"],
    ['{"turns":[{"steps":[{"text":5}]}]}', "script.turns[0].steps[0].text: expected string, got number"],
    [
      '{"turns":[{"steps":[{},{"delayMs":-1}]}]}',
      "script.turns[0].steps[1].delayMs: expected an integer ≥ 0, got number -1"
    ],
    [
      '{"turns":[{"steps":[{"toolCalls":[{"name":"a","arguments":7}]}]}]}',
      "script.turns[0].steps[0].toolCalls[0].arguments: expected object or string, got number"
    ],
    ['{"turns":[{"steps":[{"failure":{"kind":"Boom"}}]}]}', "script.turns[0].steps[0].failure.kind: expected"]
  ]
  for (const [text, why] of rows) {
    it.live(`names the file and the key: ${why}`, () =>
      Effect.gen(function* () {
        const { path } = yield* written(text)
        const error = yield* Effect.flip(Layer.build(ScriptedModel.layer(path)))
        assert.isTrue(error.message.startsWith(`${path}: ${why}`), error.message)
      })
    )
  }

  it.live("names a file that is not there", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Layer.build(ScriptedModel.layer("/no/such/script.json")))
      assert.include(
        error.message,
        "/no/such/script.json: expected a script that can be read, as localModels.script in config.json names it, got ENOENT"
      )
    })
  )

  it.live("is none of these", () =>
    Effect.gen(function* () {
      const { path } = yield* written(
        '\uFEFF{"model":"m","contextTokens":99,"turns":[{"steps":[{"text":"hi"}]}],"more":1}'
      )
      const client = Context.get(yield* Layer.build(ScriptedModel.layer(path)), LlamaClient)
      assert.deepStrictEqual(yield* client.probe, {
        state: "ready",
        url: `script:${path}`,
        model: "m",
        contextTokens: 99
      })
      assert.strictEqual(textOf((yield* outcome(client.stream(question()))).events), "hi")
    })
  )
})

it("the built-in script shows what there is to show, and follows its own rules", () => {
  assert.deepStrictEqual(parse(JSON.stringify(demoScript)), { script: demoScript })
  const steps = demoScript.turns.flatMap((turn) => turn.steps)
  assert.isAtLeast(steps.flatMap((step) => step.toolCalls ?? []).length, 2)
  assert.isTrue(steps.some((step) => step.reasoning !== undefined))
  assert.match(steps.map((step) => step.text ?? "").join(""), /日本語.*🚀/u)
})
