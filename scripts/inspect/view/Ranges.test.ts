import { assert, describe, it } from "@effect/vitest"
import { countOf, extended, type Ranges } from "./Ranges.ts"

describe("the numbers of frames in the inspector", () => {
  it("are kept as runs, of which there are not too many", () => {
    const all = (numbers: ReadonlyArray<number>) => numbers.reduce<Ranges>(extended, [])
    assert.deepStrictEqual(all([1, 2, 3, 7, 7, 9]), [
      [1, 3],
      [7, 7],
      [9, 9]
    ])
    assert.strictEqual(countOf(all([1, 2, 3, 7])), 4)
    const odd = all(Array.from({ length: 1000 }, (_, index) => 2 * index + 1))
    assert.lengthOf(odd, 200)
    assert.deepStrictEqual(odd.at(-1), [399, 1999])
  })
})
