import { cutText } from "../domain/CutText.ts"
import type { Skill } from "./Skill.ts"

/** The line about a skill in the system prompt. */
export interface SkillSummary {
  readonly name: string
  readonly description: string
}

/** Limits in characters: of one description, and of all names and descriptions together. */
const maxLine = 300
const maxAll = 8000

/** One line for each skill; a last line refers to `skill.view` for those that do not fit. */
export const skillSummaries = (
  skills: ReadonlyArray<Pick<Skill, "name" | "description">>
): ReadonlyArray<SkillSummary> => {
  const lines: Array<SkillSummary> = []
  let room = maxAll
  for (const { description, name } of skills) {
    const line = { name, description: cut(description.replaceAll(/[\s\p{Cc}]+/gu, " ").trim(), maxLine) }
    room -= line.name.length + line.description.length
    if (room < 0) {
      const omitted = skills.length - lines.length
      return [
        ...lines,
        { name: "…", description: `${omitted} more, whose names skill_view tells when it is asked for "?"` }
      ]
    }
    lines.push(line)
  }
  return lines
}

/** The notice for the model that the skills have changed during its session. */
export const skillNotice = (lines: ReadonlyArray<SkillSummary>): string => {
  const list = lines.map(({ description, name }) => `\n- ${name}: ${description}`).join("")
  return `${noticeStart} ${lines.length === 0 ? "There are none any more.]" : `There are now these, and no others:${list}]`}`
}

/** True for a text of `skillNotice`. */
export const isSkillNotice = (text: string): boolean => text.startsWith(noticeStart)

const noticeStart = "[The skills have changed."

const cut = (text: string, length: number): string => (text.length <= length ? text : `${cutText(text, length - 1)}…`)
