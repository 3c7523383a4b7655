import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Skill } from "./Skill.ts"
import type { Refused } from "../files/Refused.ts"

/** A usable skill and where it is. */
export interface InstalledSkill extends Skill {
  readonly source: "global" | "project"
  /** A real path. */
  readonly folder: string
}

/** The skills of the user and of the projects (contract 8). */
export class SkillRegistry extends Context.Service<
  SkillRegistry,
  {
    /**
     * Reads from the disk the skills that a session in this directory can use, sorted by name. A project's copy
     * replaces a global one; skills of other platforms and those in `skills.disabled` are omitted. A skill that cannot
     * be used is omitted too, and logged once as a warning.
     */
    list(workingDir: string): Effect.Effect<ReadonlyArray<InstalledSkill>>
    /** Reads the text of a skill's `SKILL.md`. */
    read(skill: InstalledSkill): Effect.Effect<string, Refused>
    /**
     * Copies a folder to the global skills, atomically: at any moment, even after a crash, there is the old skill or
     * the new one. Only with `force` does it replace a skill of the same name.
     */
    install(
      sourcePath: string,
      force: boolean
    ): Effect.Effect<{ readonly name: string; readonly installedAt: string }, Refused>
    /** Removes a global skill; false if there was none of that name. */
    uninstall(name: string): Effect.Effect<boolean, Refused>
  }
>()("atomic-agent-sidecar/skills/SkillRegistry") {}
