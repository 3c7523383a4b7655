import { assert, describe, it } from "@effect/vitest"
import { folderWith, integerFrom, positive, read, someOf, text } from "./Arguments.ts"

const kinds = {
  minutes: positive,
  runs: integerFrom(1),
  only: someOf(["start", "turns"]),
  bin: text,
  against: folderWith("package.json")
}
const words = ["kills", "delays"]

describe("the arguments of a script", () => {
  it("are read, each as its kind", () => {
    const args = ["--minutes", "0.5", "--runs=20", "kills", "--only", "start,turns", "--bin", "x", "--against", "."]
    assert.deepStrictEqual(read(args, kinds, words), {
      options: { minutes: 0.5, runs: 20, only: ["start", "turns"], bin: "x", against: "." },
      words: ["kills"]
    })
    assert.deepStrictEqual(read([], kinds), { options: {}, words: [] })
  })

  const wrong: ReadonlyArray<readonly [args: ReadonlyArray<string>, why: string]> = [
    [["--minutes", "abc"], "--minutes abc: expected a number above 0"],
    [["--minutes", "0"], "--minutes 0: expected a number above 0"],
    [["--minutes", "1e3"], "--minutes 1e3: expected a number above 0"],
    [["--runs", "0"], "--runs 0: expected an integer from 1 on"],
    [["--runs", "1.5"], "--runs 1.5: expected an integer from 1 on"],
    [["--runs", ""], "--runs : expected an integer from 1 on"],
    [["--only", "start,end"], "--only start,end: expected some of start,turns"],
    [["--against", "/none"], "--against /none: expected a folder with package.json in it"],
    [["tills"], "tills: not one of kills, delays"],
    [["--rums", "1"], "Unknown option '--rums'; the options are --minutes, --runs, --only, --bin, --against"],
    [
      ["--runs"],
      "Option '--runs <value>' argument missing; the options are --minutes, --runs, --only, --bin, --against"
    ]
  ]
  for (const [args, why] of wrong) {
    it(`${JSON.stringify(args)} are refused with what was expected`, () =>
      assert.strictEqual(read(args, kinds, words), why))
  }

  it("are options only, where there are no words", () =>
    assert.strictEqual(read(["extra"], kinds), "extra: only options are expected"))
})
