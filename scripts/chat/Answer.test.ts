import { assert, describe, it } from "@effect/vitest"
import { readAnswer } from "./Answer.ts"

describe("an answer to an approval", () => {
  const answers: ReadonlyArray<[typed: string, means: ReturnType<typeof readAnswer>]> = [
    ["y", { approved: true }],
    [" Yes ", { approved: true }],
    ["n", { approved: false }],
    ["no", { approved: false }],
    ["n use the other file", { approved: false, reason: "use the other file" }],
    ["No, too much", { approved: false, reason: "too much" }],
    ["n: später", { approved: false, reason: "später" }],
    ["", undefined],
    ["nothing", undefined],
    ["yesterday", undefined],
    ["y but only once", undefined],
    ["ok", undefined]
  ]
  for (const [typed, means] of answers) {
    it(`${JSON.stringify(typed)} is ${JSON.stringify(means) ?? "asked again"}`, () => {
      assert.deepStrictEqual(readAnswer(typed), means)
    })
  }
})
