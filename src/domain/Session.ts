import type { SessionState, SessionStatus, TurnReason } from "../protocol/SessionState.ts"

/** A session without its history. */
export type SessionHead = Omit<SessionState, "turns">

/** What a host changes of a session between its turns. What is left out stays; an empty title removes it. */
export interface SessionUpdate {
  readonly title?: string
  readonly metadata?: SessionState["metadata"]
}

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

/** The head with a host's changes. */
export const withUpdate = (head: SessionHead, { metadata = head.metadata, title }: SessionUpdate): SessionHead => {
  const { title: before, ...rest } = head
  const kept = title ?? before ?? ""
  return { ...rest, metadata, ...(kept === "" ? {} : { title: kept }) }
}

/** Adds a skill that the model has read; each is listed once, as it was read last. `now` is in epoch milliseconds. */
export const withLoaded = (
  loaded: SessionState["loadedSkills"],
  { name, version }: { readonly name: string; readonly version: string },
  now: number
): SessionState["loadedSkills"] => [...loaded.filter((skill) => skill.name !== name), { name, version, loadedAt: now }]
