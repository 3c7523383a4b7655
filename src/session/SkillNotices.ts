import * as Effect from "effect/Effect"
import { isSkillNotice, type SkillSummary, skillSummaries, skillNotice } from "../skills/SkillSummaries.ts"
import type { SkillRegistry } from "../skills/SkillRegistry.ts"
import type { StoredSession } from "../store/SessionStore.ts"

/** What a session's model does not know yet of the skills (contract 8). */
export interface SkillNotices {
  /** The notice that the next turn begins with, where the skills are not those that the model was told of last. */
  readonly next: Effect.Effect<string | undefined>
}

/**
 * The skills are looked at anew with each turn: others install some too. What was told last is what the history says,
 * and what the system prompt says where it says nothing.
 */
export const make = (
  registry: SkillRegistry["Service"],
  inPrompt: ReadonlyArray<SkillSummary>,
  { head: { workingDir }, history }: StoredSession
): SkillNotices => {
  const notice = history.findLast((entry) => entry.kind === "notice" && isSkillNotice(entry.text))
  let told = notice?.kind === "notice" ? notice.text : skillNotice(inPrompt)
  const next = Effect.map(
    Effect.suspend(() => registry.list(workingDir)),
    (skills) => {
      const now = skillNotice(skillSummaries(skills))
      if (now === told) return undefined
      told = now
      return now
    }
  )
  return { next }
}
