import { assert, it } from "@effect/vitest"
import * as PromptCut from "../../../src/llama/prompt/PromptCut.ts"

const rows: ReadonlyArray<
  readonly [what: string, tokens: readonly [number, number], bytes: readonly [number, number], boolean]
> = [
  ["a count that stands still at a power of two", [4096, 4096], [20_000, 21_000], true],
  ["one a little above it", [2050, 2050], [20_000, 21_000], true],
  ["a count that grows", [4095, 4096], [20_000, 21_000], false],
  ["the same prompt again", [4096, 4096], [20_000, 20_000], false],
  ["a prompt that was trimmed", [4096, 4096], [20_000, 19_000], false],
  ["another number", [3000, 3000], [20_000, 21_000], false],
  ["a count that is not told", [0, 0], [20_000, 21_000], false],
  ["a short prompt", [64, 64], [200, 210], false]
]

for (const [what, [first, second], [before, after], isCut] of rows) {
  it(`${what} is ${isCut ? "a cut" : "none"}`, () => {
    const known = PromptCut.learn(PromptCut.unknown, before, first)
    assert.strictEqual(PromptCut.isCut(known, after, second), isCut)
    assert.strictEqual(PromptCut.learn(known, after, second).noticed, isCut)
    assert.strictEqual(PromptCut.learn(PromptCut.learn(known, after, second), 1, 1).noticed, isCut)
  })
}
