import type { SessionRecord } from "../protocol/SessionState.ts"

/** A message of the sidecar to the model: that this is the last step, or that the skills have changed. */
export interface Notice {
  readonly kind: "notice"
  readonly at: number
  readonly turnId: string
  readonly text: string
}

/** One committed entry of a session: a record, which `get_session` returns, or a notice, which only the model reads. */
export type Entry = SessionRecord | Notice

/** A tool's name in a request to a chat endpoint, which allows at most 64 letters, digits, `_` and `-`. */
export const wireName = (tool: string): string => tool.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unnamed"

/** The records of a history, without the notices. */
export const visible = (entries: ReadonlyArray<Entry>): ReadonlyArray<SessionRecord> =>
  entries.filter((entry): entry is SessionRecord => entry.kind !== "notice")
