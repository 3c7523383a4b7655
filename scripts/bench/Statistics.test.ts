import { assert, describe, it } from "@effect/vitest"
import { median, quantile } from "./Statistics.ts"

describe("the benchmark's statistics", () => {
  it("take medians and quantiles between the values where it must", () => {
    assert.strictEqual(median([3, 1, 2]), 2)
    assert.strictEqual(median([4, 1, 3, 2]), 2.5)
    assert.strictEqual(quantile([0, 10], 0.99), 9.9)
    assert.isNaN(median([]))
  })
})
