import { assert, describe, it } from "@effect/vitest"
import type { Row } from "./Experiment.ts"
import { ratio } from "./Statistics.ts"
import { comparedTableOf, isMet, tableOf } from "./Table.ts"

describe("the benchmark's table", () => {
  const row = (value: number, beside: number): Row => ({
    name: "start",
    unit: "ms",
    value,
    beside: { name: "bare", value: beside },
    ratio: ratio(value, beside),
    aims: [
      { of: "ratio", most: 2 },
      { of: "value", least: 5 }
    ]
  })

  it("marks a row that meets all of its aims, and one that misses any", () => {
    assert.include(tableOf([row(8, 4)]), "2.00×  ≤ 2×, ≥ 5 ms  ✓")
    assert.include(tableOf([row(9, 4)]), "✗")
    assert.include(tableOf([row(4, 4)]), "✗")
  })

  it("holds a figure that could not be measured for missed", () => {
    assert.isFalse(isMet({ of: "value", most: 1 }, row(Number.NaN, 1)))
  })

  it("shows two builds with their ratio and how far the rounds were apart", () => {
    const row = { name: "start", unit: "ms", current: 40, other: 30, limit: 5, ratio: 1.375 }
    assert.include(
      comparedTableOf([{ ...row, quarters: [1.1875, 1.625] }]),
      "40.0 ms  30.0 ms      1.38×          1.19× to 1.63×    5.00 ms"
    )
  })
})
