import { assert, it } from "@effect/vitest"
import type { Entry } from "../../../src/domain/Transcript.ts"
import * as ChatMessages from "../../../src/llama/prompt/ChatMessages.ts"
import * as HistoryText from "../../../src/llama/prompt/HistoryText.ts"
import type { MessageForm } from "../../../src/llama/prompt/MessageForm.ts"
import * as Trimming from "../../../src/llama/prompt/Trimming.ts"
import { random } from "../support/captures.ts"

/** A history that grows in all the ways that a session can grow it. */
const grow = (entries: Array<Entry>, turn: number, below: (limit: number) => number): void => {
  const base = { at: 1, turnId: `t-${turn}` }
  const words = (most: number) => "word ".repeat(below(most))
  entries.push({ kind: "user", ...base, text: `question ${turn} ${words(40)}` })
  for (let step = below(3); step > 0; step -= 1) {
    if (below(3) === 0) entries.push({ kind: "assistant_reply", ...base, text: `note ${step}`, progressNote: true })
    if (below(4) === 0) entries.push({ kind: "user", ...base, text: "be quick", steered: true })
    const ids = Array.from({ length: 1 + below(3) }, (_, index) => `c-${turn}-${step}-${index}`)
    for (const callId of ids) {
      entries.push({ kind: "assistant_tool_call", ...base, callId, tool: "fs.list", args: { path: words(20) } })
    }
    for (const callId of ids) {
      const summary = `one\n${words(100)}`
      if (below(10) === 0) continue
      entries.push({ kind: "tool_result", ...base, callId, tool: "fs.list", status: "ok", summary, truncated: false })
    }
  }
  if (below(5) === 0) entries.push({ kind: "notice", ...base, text: "no more steps" })
  if (below(4) > 0)
    entries.push({ kind: "assistant_reply", ...base, text: below(6) === 0 ? " " : `reply ${words(40)}` })
}

it("the text of a history is the same, whether it is made at once or as it grows", () => {
  for (const [seed, budget, form] of [
    [1, Infinity, "batched"],
    [2, 6000, "batched"],
    [3, 2000, "single"],
    [4, 300, "batched"],
    [5, 4000, "text"]
  ] as const) {
    const below = random(seed)
    const entries: Array<Entry> = []
    for (let turn = 0; turn < 120; turn += 1) {
      const before = entries.length
      grow(entries, turn, below)
      for (let length = before + 1; length <= entries.length; length += 1 + below(4)) {
        const history = entries.slice(0, length)
        const trim = Trimming.plan(history, budget)
        const whole = JSON.stringify(ChatMessages.make(Trimming.apply(history, trim, budget), form))
        const text = HistoryText.make(history, budget, form)
        assert.strictEqual(`[${text.json}]`, whole, `seed ${seed}, ${length} entries`)
        assert.strictEqual(text.bytes, Math.min(trim.bytes, budget))
      }
    }
  }
})

it("the text of a history is made anew for another budget and in another form", () => {
  const below = random(9)
  const entries: Array<Entry> = []
  for (let turn = 0; turn < 40; turn += 1) grow(entries, turn, below)
  const textOf = (budget: number, form: MessageForm = "batched") => HistoryText.make(entries, budget, form).json
  const [one, other] = [textOf(9000), textOf(3000)]
  assert.isBelow(other.length, one.length)
  assert.strictEqual(textOf(9000), one)
  const single = textOf(9000, "single")
  assert.notStrictEqual(single, one)
  assert.strictEqual(textOf(9000), one)
  assert.strictEqual(textOf(9000, "single"), single)
  assert.strictEqual(HistoryText.make([], 9000, "batched").json, "")
})
