import type { SessionState, SessionStatus, TurnReason } from "../protocol/SessionState.ts"

/** A session without its history. */
export type SessionHead = Omit<SessionState, "turns">

/** The status of a session after a turn. Every status accepts the next message (contract 6). */
export const statusAfter: { readonly [R in TurnReason]: SessionStatus } = {
  reply: "pending",
  finish: "completed",
  max_steps: "stalled",
  cancelled: "cancelled",
  failed: "failed"
}

/** A new session; `now` in epoch milliseconds. */
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

/** Adds a skill that the model has read; each is listed once, as it was read last. `now` is in epoch milliseconds. */
export const withLoaded = (
  loaded: SessionState["loadedSkills"],
  { name, version }: { readonly name: string; readonly version: string },
  now: number
): SessionState["loadedSkills"] => [...loaded.filter((skill) => skill.name !== name), { name, version, loadedAt: now }]
