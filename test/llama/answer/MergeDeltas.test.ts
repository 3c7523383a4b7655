import { assert, it } from "@effect/vitest"
import { mergeDeltas } from "../../../src/llama/answer/MergeDeltas.ts"
import type { ModelEvent } from "../../../src/llama/LlamaClient.ts"

const text = (value: string): ModelEvent => ({ _tag: "Text", text: value })
const reasoning = (value: string): ModelEvent => ({ _tag: "Reasoning", text: value })
const prefill: ModelEvent = { _tag: "Prefill", processed: 1, total: 2, cached: 0 }
const end: ModelEvent = { _tag: "Finished", reason: "stop", calls: [] }

it.each<readonly [string, [ModelEvent, ...Array<ModelEvent>], ReadonlyArray<ModelEvent>]>([
  ["one event", [text("a")], [text("a")]],
  ["text behind text", [text("a"), text("b"), text("c")], [text("abc")]],
  [
    "text behind reasoning",
    [reasoning("a"), reasoning("b"), text("c"), reasoning("d")],
    [reasoning("ab"), text("c"), reasoning("d")]
  ],
  ["progress in between", [text("a"), prefill, prefill, text("b")], [text("a"), prefill, prefill, text("b")]],
  ["an end", [text("a"), text("b"), end], [text("ab"), end]]
])("joins the deltas of a read: %s", (_, events, expected) => {
  assert.deepStrictEqual(mergeDeltas(events), expected)
})
