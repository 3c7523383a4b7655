import { assert, describe, it } from "@effect/vitest"
import { isSkillNotice, skillSummaries, skillNotice } from "../../src/skills/SkillSummaries.ts"

const skill = (name: string, description: string) => ({ name, description })

describe("the lines of the skills", () => {
  it.each([
    ["one", "one"],
    ["  two\n\n  lines \r\n", "two lines"],
    ["line\u2028separators\u2029and\u0085others", "line separators and others"],
    ["a\0b\u001b[31mc", "a b [31mc"],
    ["填写表格 👩‍👩‍👧", "填写表格 👩‍👩‍👧"],
    ["x".repeat(300), "x".repeat(300)],
    ["x".repeat(301), `${"x".repeat(299)}…`],
    [`${"x".repeat(298)}👧${"x".repeat(9)}`, `${"x".repeat(298)}…`]
  ])("make one line of %j", (description, line) => {
    assert.deepStrictEqual(skillSummaries([skill("pdf", description)]), [skill("pdf", line)])
  })

  it("end where there is no more room, and say how many are left", () => {
    const many = Array.from({ length: 200 }, (_, index) => skill(`skill-${index}`, "x".repeat(290)))
    const lines = skillSummaries(many)
    assert.isBelow(
      lines.reduce((sum, { description, name }) => sum + name.length + description.length, 0),
      8200
    )
    assert.isAbove(lines.length, 20)
    assert.deepStrictEqual(lines.slice(0, -1), many.slice(0, lines.length - 1))
    assert.match(lines.at(-1)?.description ?? "", new RegExp(`^${200 - lines.length + 1} more`))
  })
})

describe("the notice of a change of the skills", () => {
  it("lists what there is now", () => {
    assert.strictEqual(
      skillNotice([skill("ab", "Does a."), skill("cd", "Does c.")]),
      "[The skills have changed. There are now these, and no others:\n- ab: Does a.\n- cd: Does c.]"
    )
  })

  it("says that there are none any more", () => {
    assert.strictEqual(skillNotice([]), "[The skills have changed. There are none any more.]")
  })

  it("is told from other notices", () => {
    assert.isTrue(isSkillNotice(skillNotice([])))
    assert.isTrue(isSkillNotice(skillNotice([skill("ab", "x")])))
    assert.isFalse(isSkillNotice("[This was the last step of this turn.]"))
  })
})
