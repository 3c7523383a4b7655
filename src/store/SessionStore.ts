import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Entry } from "../domain/Transcript.ts"
import type { SessionId } from "../protocol/Ids.ts"
import type { ListSessionsResult } from "../protocol/Request.ts"
import type { SessionState } from "../protocol/SessionState.ts"

/** The database would not do it; the message says what it was doing and why not. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  doing: Schema.String,
  why: Schema.String
}) {
  override get message() {
    return `${this.doing}: ${this.why}`
  }
}

/** All of a session but its history: one row, rewritten with each commit. */
export type SessionHead = Omit<SessionState, "turns">

/** A session as it was stored. */
export interface StoredSession {
  readonly head: SessionHead
  readonly history: ReadonlyArray<Entry>
}

/** Sessions in SQLite: a row a session, a row an entry. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** Writes a new session's row. */
    create(head: SessionHead): Effect.Effect<void, StoreError>
    /** Writes entries and head in one transaction; its cost does not grow with the session. */
    commit(head: SessionHead, entries: ReadonlyArray<Entry>): Effect.Effect<void, StoreError>
    /**
     * Reads a session. One that was left `running` or `awaiting_approval` by a process that is gone comes back, and is
     * stored, as `cancelled` with a `lastError` that says its turn was interrupted (contract 10).
     */
    load(id: SessionId): Effect.Effect<StoredSession | null, StoreError>
    /** Newest first. */
    list(options: {
      readonly limit: number
      readonly workingDir?: string
    }): Effect.Effect<ListSessionsResult["sessions"], StoreError>
    /** Whether there was one. */
    remove(id: SessionId): Effect.Effect<boolean, StoreError>
  }
>()("atomic-agent-sidecar/store/SessionStore") {}
