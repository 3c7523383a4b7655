import { assert, describe, it } from "@effect/vitest"
import { argumentsText, count, duration, place } from "./Format.ts"

describe("how the inspector writes", () => {
  const durations: ReadonlyArray<[ms: number | undefined, text: string]> = [
    [undefined, ""],
    [-3, "0 ms"],
    [999.4, "999 ms"],
    [1000, "1.0 s"],
    [59_949, "59.9 s"],
    [59_951, "1 min 00 s"],
    [185_000, "3 min 05 s"],
    [3_725_000, "1 h 02 min"]
  ]
  for (const [ms, text] of durations) it(`${ms} ms`, () => assert.strictEqual(duration(ms), text))

  it("large numbers", () => {
    assert.deepStrictEqual([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"])
  })

  it("arguments of any shape", () => {
    const shapes = [{ a: "b", c: [1] }, "raw", [1, 2], null, undefined, 7]
    assert.deepStrictEqual(shapes.map(argumentsText), [`a: "b", c: [1]`, "raw", "[1,2]", "null", "", "7"])
    assert.lengthOf(argumentsText({ text: "x".repeat(9999) }), 4000)
  })

  it("where a part lies in a whole", () => {
    const whole = { at: 100, endedAt: 300 }
    assert.deepStrictEqual(place(whole, { at: 150, endedAt: 250 }, undefined), { left: 25, width: 50 })
    // What still runs grows with the whole that runs, and a part never sticks out.
    assert.deepStrictEqual(place({ at: 100 }, { at: 150 }, 200), { left: 50, width: 50 })
    assert.deepStrictEqual(place(whole, { at: 250 }, 900), { left: 75, width: 25 })
    assert.deepStrictEqual(place(whole, { at: 50, endedAt: 400 }, undefined), { left: 0, width: 100 })
    assert.isUndefined(place({}, { at: 1, endedAt: 2 }, 3))
    assert.isUndefined(place({ at: 1, endedAt: 1 }, { at: 1, endedAt: 1 }, undefined))
  })
})
