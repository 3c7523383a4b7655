import type { Skill } from "./Skill.ts"

/** What the model is told of a skill before it reads it. */
export interface SkillSummary {
  readonly name: string
  readonly description: string
}

/** A description is cut after so many characters, and all of them together take no more than so many. */
const maxLine = 300
const maxAll = 8000

/** One line a skill (contract 8); those that there is no room for are known to the tool `skill.view`. */
export const skillSummaries = (
  skills: ReadonlyArray<Pick<Skill, "name" | "description">>
): ReadonlyArray<SkillSummary> => {
  const lines: Array<SkillSummary> = []
  let room = maxAll
  for (const { description, name } of skills) {
    const line = { name, description: cut(description.replaceAll(/[\s\p{Cc}]+/gu, " ").trim(), maxLine) }
    room -= line.name.length + line.description.length
    if (room < 0) {
      const left = skills.length - lines.length
      return [
        ...lines,
        { name: "…", description: `${left} more, whose names skill_view tells when it is asked for "?"` }
      ]
    }
    lines.push(line)
  }
  return lines
}

/** What tells the model, in the course of a session, which skills there are now. */
export const skillNotice = (lines: ReadonlyArray<SkillSummary>): string => {
  const list = lines.map(({ description, name }) => `\n- ${name}: ${description}`).join("")
  return `${noticeStart} ${lines.length === 0 ? "There are none any more.]" : `There are now these, and no others:${list}]`}`
}

/** Whether a notice is one of skills. */
export const isSkillNotice = (text: string): boolean => text.startsWith(noticeStart)

const noticeStart = "[The skills have changed."

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`
