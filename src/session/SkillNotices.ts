import * as Effect from "effect/Effect"
import { isSkillNotice, type SkillSummary, skillSummaries, skillNotice } from "../skills/SkillSummaries.ts"
import type { SkillRegistry } from "../skills/SkillRegistry.ts"
import type { StoredSession } from "../store/SessionStore.ts"

/** Keeps the model of a session informed of skills that change while it runs (contract 8). */
export interface SkillNotices {
  /** The notice for the next turn; undefined if the skills are those that the model knows. */
  readonly next: Effect.Effect<string | undefined>
}

/**
 * Reads the skills at each turn, since other processes install some too. Compares them with the last notice in the history
 * or, without one, with those in the system prompt.
 */
export const make = (
  registry: SkillRegistry["Service"],
  inPrompt: ReadonlyArray<SkillSummary>,
  { head: { workingDir }, history }: StoredSession
): SkillNotices => {
  const notice = history.findLast((entry) => entry.kind === "notice" && isSkillNotice(entry.text))
  let known = notice?.kind === "notice" ? notice.text : skillNotice(inPrompt)
  const next = Effect.map(
    Effect.suspend(() => registry.list(workingDir)),
    (skills) => {
      const now = skillNotice(skillSummaries(skills))
      if (now === known) return undefined
      known = now
      return now
    }
  )
  return { next }
}
