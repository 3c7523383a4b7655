import { assert, describe, it } from "@effect/vitest"
import { type ApprovalLevel, asks, silentFrom, strictest } from "../../src/domain/ApprovalPolicy.ts"
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

  /** What a call does, and the category that stands for it. */
  const several: ReadonlyArray<readonly [ApprovalCategory, readonly [ApprovalCategory, ...Array<ApprovalCategory>]]> = [
    ["fs_write_workspace", ["fs_write_workspace"]],
    ["fs_write_workspace", ["fs_write_workspace", "fs_write_workspace"]],
    ["fs_write_home", ["fs_write_workspace", "fs_write_home"]],
    ["fs_write_home", ["fs_write_home", "fs_write_workspace"]],
    ["http", ["fs_write_home", "http"]],
    ["script", ["script", "http"]],
    ["script", ["mcp", "script"]],
    ["shell", ["script", "shell"]],
    ["fs_read_outside", ["fs_read_outside", "fs_write_workspace"]],
    ["fs_read_outside", ["shell", "fs_read_outside"]],
    ["other", ["other", "fs_read_outside"]],
    ["trust_config", ["fs_write_workspace", "trust_config", "other"]]
  ]

  it.each(several)("lets %s stand for %j", (strict, categories) => {
    assert.strictEqual(strictest(categories), strict)
  })

  it("asks for a call wherever it asks for one thing that the call does", () => {
    const all = ApprovalCategory.literals
    for (const [a, b] of all.flatMap((first) => all.map((second) => [first, second] as const))) {
      assert.strictEqual(strictest([a, b]), strictest([b, a]))
      for (const level of levels) {
        assert.strictEqual(asks(strictest([a, b]), level), asks(a, level) || asks(b, level), `${a}, ${b}, ${level}`)
      }
    }
  })
})
