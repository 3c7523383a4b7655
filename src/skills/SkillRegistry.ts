import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Skill } from "./Skill.ts"
import type { Refused } from "../files/Refused.ts"

/** A skill that can be used where it was asked for. */
export interface InstalledSkill extends Skill {
  readonly source: "global" | "project"
  /** Its folder: a real path. */
  readonly folder: string
}

/** The skills of this machine and of its projects (contract 8). */
export class SkillRegistry extends Context.Service<
  SkillRegistry,
  {
    /**
     * The skills that a session in this directory can use, by name, read from the disk: a project's copy takes the
     * place of a global one, those of other platforms and those in `skills.disabled` are left out. One that cannot be
     * read is left out too, and logged once.
     */
    list(workingDir: string): Effect.Effect<ReadonlyArray<InstalledSkill>>
    /** The text of a skill's `SKILL.md`. */
    read(skill: InstalledSkill): Effect.Effect<string, Refused>
    /**
     * Copies a folder to the global skills, atomically: at any moment, that of a crash too, there is the old skill or the
     * new one. With `force` it may take the place of another of its name.
     */
    install(
      sourcePath: string,
      force: boolean
    ): Effect.Effect<{ readonly name: string; readonly installedAt: string }, Refused>
    /** Whether there was a global skill of that name; it is gone now. */
    uninstall(name: string): Effect.Effect<boolean, Refused>
  }
>()("atomic-agent-sidecar/skills/SkillRegistry") {}
