import { assert, describe, it } from "@effect/vitest"
import { type ApprovalLevel, asks, silentFrom } from "../../src/domain/ApprovalPolicy.ts"
import { ApprovalCategory } from "../../src/protocol/SessionState.ts"

const levels: ReadonlyArray<ApprovalLevel> = [1, 2, 3, 4, 5]

/** Contract 7, column by column: what asks at each level. */
const asked: { readonly [L in ApprovalLevel]: ReadonlyArray<ApprovalCategory> } = {
  1: [
    "fs_write_workspace",
    "fs_write_home",
    "http",
    "shell",
    "script",
    "mcp",
    "trust_config",
    "fs_read_outside",
    "other"
  ],
  2: ["fs_write_home", "http", "shell", "script", "mcp", "trust_config", "fs_read_outside", "other"],
  3: ["shell", "script", "mcp", "trust_config", "fs_read_outside", "other"],
  4: ["trust_config", "fs_read_outside", "other"],
  5: []
}

describe("the approval policy", () => {
  it.each(levels)("asks at level %i for exactly what the contract names", (level) => {
    const found = ApprovalCategory.literals.filter((category) => asks(category, level))
    assert.sameMembers(found, [...asked[level]])
  })

  it("knows every category, and never asks again at a higher level", () => {
    assert.sameMembers(Object.keys(silentFrom), [...ApprovalCategory.literals])
    for (const category of ApprovalCategory.literals) {
      const answers = levels.map((level) => asks(category, level))
      assert.deepStrictEqual(
        answers,
        answers.toSorted((a, b) => Number(b) - Number(a))
      )
    }
  })
})
