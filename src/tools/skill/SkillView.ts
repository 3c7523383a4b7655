import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SkillRegistry } from "../../skills/SkillRegistry.ts"
import { findSkill } from "./FindSkill.ts"
import * as Tool from "../Tool.ts"
import { refuse } from "../../files/Refused.ts"

/** Returns the text of a skill's `SKILL.md` (contract 8). */
export const skillView = (registry: SkillRegistry["Service"]) =>
  Tool.make({
    name: "skill.view",
    description: "Read a skill: how to do what it is for.",
    parameters: Schema.Struct({
      name: Schema.String.annotateKey({ documentation: "The name of an installed skill" })
    }),
    reads: true,
    plan: Effect.fnUntraced(function* ({ name }, context) {
      const skill = yield* findSkill(registry, name, context)
      const run = Effect.gen(function* () {
        const text = yield* Effect.mapError(registry.read(skill), ({ message }) => refuse(message))
        const head = [`The skill ${name} ${skill.version}, in ${skill.folder}`]
        if (skill.requiresScripts.length > 0) head.push(`Scripts: ${skill.requiresScripts.join(", ")}`)
        return { text: `${head.join("\n")}\n\n${text}`, loadedSkill: { name, version: skill.version } }
      })
      return { run }
    })
  })
