import * as Effect from "effect/Effect"
import type { InstalledSkill, SkillRegistry } from "../../skills/SkillRegistry.ts"
import type { CallPlace } from "../Tool.ts"
import { type Refused, refuse } from "../../files/Refused.ts"

/** How many names the error for an unknown skill lists. */
const maxNames = 100

/** Finds a skill by its name, as it is on the disk now. */
export const findSkill = (
  registry: SkillRegistry["Service"],
  name: string,
  { workingDir }: CallPlace
): Effect.Effect<InstalledSkill, Refused> =>
  Effect.flatMap(registry.list(workingDir), (skills) => {
    const skill = skills.find((skill) => skill.name === name)
    if (skill !== undefined) return Effect.succeed(skill)
    const names = skills.slice(0, maxNames).map((skill) => skill.name)
    const known = names.length === 0 ? "No skill is installed." : `The skills are: ${names.join(", ")}.`
    return Effect.fail(refuse(`There is no skill ${JSON.stringify(name)}. ${known}`))
  })
