import { assert, describe, it } from "@effect/vitest"
import { comparison } from "./Against.ts"

describe("two builds in one run of the benchmark", () => {
  it("are compared by the ratios of their rounds, whatever the machine did between", () => {
    assert.deepStrictEqual(comparison([10, 80, 30, 50], [10, 40, 20, 40]), {
      current: 40,
      other: 30,
      ratio: 1.375,
      quarters: [1.1875, 1.625]
    })
  })

  it("are not compared by rounds without a ratio: a difference may be below 0", () => {
    assert.strictEqual(comparison([1, -1, 2], [1, 1, 0]).ratio, 1)
    assert.isNaN(comparison([-1], [1]).ratio)
  })
})
