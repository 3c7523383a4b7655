import { assert, describe, it } from "@effect/vitest"
import { difference, readerKinds } from "../../src/files/NearName.ts"

const rows: ReadonlyArray<readonly [one: string, other: string, differsBy: string | undefined]> = [
  ["cafe\u0301.md", "caf\u00e9.md", "Unicode form"],
  ["Screenshot at 9.41\u202fAM.png", "Screenshot at 9.41 AM.png", "spaces"],
  ["a\u00a0b", "a b", "spaces"],
  ["it's.txt", "it\u2019s.txt", "quotes"],
  ['"x".txt', "\u201cx\u201d.txt", "quotes"],
  ["readme.md", "README.md", "case"],
  ["CAFE\u0301", "caf\u00e9", "Unicode form and case"],
  ["It's a", "it\u2019s\u00a0a", "spaces and quotes and case"],
  ["a  b", "a b", undefined],
  ["a_b", "a-b", undefined],
  ["a.txt", "a.text", undefined],
  ["ab", "a b", undefined],
  ["\u0430", "a", undefined]
]

describe("two names", () => {
  it.each(rows)("%j and %j differ by %s", (one, other, differsBy) => {
    assert.strictEqual(difference(one, other, readerKinds), differsBy)
    assert.strictEqual(difference(other, one, readerKinds), differsBy)
  })
})
