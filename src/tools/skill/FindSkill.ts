import * as Effect from "effect/Effect"
import type { InstalledSkill, SkillRegistry } from "../../skills/SkillRegistry.ts"
import { fail } from "../../files/FileErrors.ts"
import type { ToolContext, ToolFailure } from "../Tool.ts"

/** So many names are told to a model that asked for another one. */
const maxNames = 100

/** The skill of a name, as it is on the disk now. */
export const findSkill = (
  registry: SkillRegistry["Service"],
  name: string,
  { workingDir }: ToolContext
): Effect.Effect<InstalledSkill, ToolFailure> =>
  Effect.flatMap(registry.list(workingDir), (skills) => {
    const found = skills.find((skill) => skill.name === name)
    if (found !== undefined) return Effect.succeed(found)
    const names = skills.slice(0, maxNames).map((skill) => skill.name)
    const known = names.length === 0 ? "No skill is installed." : `The skills are: ${names.join(", ")}.`
    return Effect.fail(fail(`There is no skill ${JSON.stringify(name)}. ${known}`))
  })
