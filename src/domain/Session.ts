import type { SessionState, SessionStatus, TurnReason } from "../protocol/SessionState.ts"

/** All of a session but its history. */
export type SessionHead = Omit<SessionState, "turns">

/** What a turn's end makes of the session; every status accepts the next message (contract 6). */
export const statusAfter: { readonly [R in TurnReason]: SessionStatus } = {
  reply: "pending",
  finish: "completed",
  max_steps: "stalled",
  cancelled: "cancelled",
  failed: "failed"
}

/** A session that nothing has happened in yet; `now` in epoch milliseconds. */
export const newSession = (
  id: string,
  workingDir: string,
  metadata: SessionState["metadata"],
  now: number
): SessionHead => ({
  id,
  workingDir,
  status: "pending",
  turnCount: 0,
  stepCount: 0,
  createdAt: now,
  updatedAt: now,
  lastError: null,
  metadata,
  latestResult: null,
  loadedSkills: [],
  contextUsage: null
})

/** The skills that a session has read, with one more: each stands there once, as it was read last; `now` as above. */
export const withLoaded = (
  loaded: SessionState["loadedSkills"],
  { name, version }: { readonly name: string; readonly version: string },
  now: number
): SessionState["loadedSkills"] => [...loaded.filter((skill) => skill.name !== name), { name, version, loadedAt: now }]
