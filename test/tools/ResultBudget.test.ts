import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { ToolResult } from "../../src/domain/ToolCall.ts"
import { boundResult, headAndTail, stepCharacters } from "../../src/tools/ResultBudget.ts"

const ok = (summary: string): ToolResult => ({ status: "ok", summary, truncated: false })

describe("the bound on a step's results", () => {
  it("leaves a result alone that fits its share", () => {
    const result = ok("x".repeat(stepCharacters))
    assert.strictEqual(boundResult(result, 1), result)
  })

  it("keeps head and tail of a longer one, marks the cut and says how much is missing", () => {
    const bounded = boundResult(ok(`BEGIN${"x".repeat(50_000)}END`), 1)
    assert.isTrue(bounded.truncated)
    assert.isAtMost(bounded.summary.length, stepCharacters)
    assert.isTrue(bounded.summary.startsWith("BEGIN"))
    assert.isTrue(bounded.summary.endsWith("END"))
    const missing = Number(/\((\d+) characters left out\)/.exec(bounded.summary)?.[1])
    const mark = /\n… .* …\n/.exec(bounded.summary)?.[0] ?? ""
    assert.strictEqual(bounded.summary.length - mark.length + missing, 50_008)
  })

  it("shares the characters of a step among the calls of its batch", () => {
    const results = Array.from({ length: 8 }, () => boundResult(ok("y".repeat(40_000)), 8).summary.length)
    assert.isAtMost(
      results.reduce((a, b) => a + b, 0),
      stepCharacters
    )
    assert.isAbove(Math.min(...results), 3_900)
  })

  it("never cuts a surrogate pair in two, and never exceeds the limit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 200 }),
        (text, limit) => {
          const cut = headAndTail(text + "😀".repeat(100), limit)
          assert.isAtMost(cut.length, limit)
          assert.isTrue(cut.isWellFormed())
        }
      )
    )
  })
})
