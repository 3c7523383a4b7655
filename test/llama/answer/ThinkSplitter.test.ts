import { assert, describe, it } from "@effect/vitest"
import * as ThinkSplitter from "../../../src/llama/answer/ThinkSplitter.ts"

describe("white space before the first word", () => {
  it("is held back in a small space, however long it goes on", () => {
    let state = ThinkSplitter.start
    for (const piece of ["\n\n", " ".repeat(100), "\t\n"]) {
      for (let count = 0; count < 1000; count += 1) {
        const step = ThinkSplitter.push(state, piece)
        assert.deepStrictEqual([step.text, step.reasoning], ["", ""])
        assert.isAtMost(step.state.held.length, 1000)
        state = step.state
      }
    }
    assert.strictEqual(ThinkSplitter.push(state, "  a").text, "  a")
    assert.deepInclude(ThinkSplitter.push(state, "  <think>a</think> b"), { reasoning: "a", text: "b" })
  })
})
