import { assert, describe, it } from "@effect/vitest"
import * as calls from "./dialects/calls.ts"
import * as ends from "./dialects/ends.ts"
import type { Meaning, Row } from "./dialects/Row.ts"
import * as words from "./dialects/words.ts"
import { cutAt, random, readParts, textOf } from "./support/captures.ts"

const tools = ["fs.list", "fs.read", "http.request"]

const meaningOf = (parts: Iterable<Uint8Array>): Meaning => {
  const { events, end } = readParts(parts, tools)
  const last = events.findLast((each) => each._tag === "Finished")
  const prefill = events.flatMap((each) =>
    each._tag === "Prefill" ? [[each.processed, each.total, each.cached] as const] : []
  )
  const text = textOf(events)
  const thought = textOf(events, "Reasoning")
  const calls = last?.calls.map(({ name, args }) =>
    args._tag === "Parsed" ? `${name}(${JSON.stringify(args.value)})` : `${name}!${args.raw}`
  )
  return {
    ...(text === "" ? {} : { text }),
    ...(thought === "" ? {} : { reasoning: thought }),
    ...(calls === undefined || calls.length === 0 ? {} : { calls }),
    ...(last === undefined ? {} : { reason: last.reason }),
    ...(last?.usage === undefined
      ? {}
      : { usage: [last.usage.promptTokens, last.usage.cachedTokens, last.usage.completionTokens] }),
    ...(end?._tag === "Failed" ? { failure: [end.reason._tag, end.reason.message] } : {}),
    ...(prefill.length === 0 ? {} : { prefill })
  }
}

const table: ReadonlyArray<readonly [title: string, rows: ReadonlyArray<Row>]> = [
  ["a stream with", words.framing],
  ["content with", words.content],
  ["reasoning", words.thought],
  ["a call", calls.identity],
  ["several calls", calls.several],
  ["arguments", calls.args],
  ["an answer that ends", ends.ends],
  ["numbers", ends.numbers],
  ["an error", ends.errors]
]

it("the table of dialects is long", () => assert.isAtLeast(table.flatMap(([, rows]) => rows).length, 80))

for (const [title, rows] of table) {
  describe(title, () => {
    for (const [what, stream, means] of rows) {
      it(`${what} is understood, wherever it is cut`, () => {
        const bytes = Buffer.from(stream)
        assert.deepStrictEqual(meaningOf([bytes]), means)
        assert.deepStrictEqual(meaningOf(cutAt(bytes, [...bytes.keys()].slice(1))), means, "byte by byte")
        const below = random(bytes.length + 1)
        for (let round = 0; round < 20 && bytes.length > 1; round += 1) {
          const places = Array.from({ length: 1 + below(6) }, () => 1 + below(bytes.length - 1)).toSorted(
            (a, b) => a - b
          )
          assert.deepStrictEqual(meaningOf(cutAt(bytes, places)), means, `cut at ${places.join()}`)
        }
      })
    }
  })
}
