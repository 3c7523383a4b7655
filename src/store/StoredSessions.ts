import type * as Effect from "effect/Effect"
import type { SessionHead } from "../domain/Session.ts"
import type { Entry } from "../domain/Transcript.ts"
import type { SessionId } from "../protocol/Ids.ts"
import type { ListSessionsResult } from "../protocol/Request.ts"
import type { StoreError } from "./StoreError.ts"

/** A session as it was stored. */
export interface StoredSession {
  readonly head: SessionHead
  readonly history: ReadonlyArray<Entry>
}

/** What a store of sessions does, whatever it keeps them in. */
export interface StoredSessions {
  /** Writes a new session's row. */
  create(head: SessionHead): Effect.Effect<void, StoreError>
  /**
   * Writes entries and head in one transaction; its cost does not grow with the session. `latestResult` is not written:
   * it is read back from the last `tool_result`. It is not interruptible: what has happened is kept.
   */
  commit(head: SessionHead, entries: ReadonlyArray<Entry>): Effect.Effect<void, StoreError>
  /**
   * Reads a session. One that was left `running` or `awaiting_approval` by a process that is gone comes back, and is
   * stored, as `cancelled` with a `lastError` that says its turn was interrupted (contract 10).
   */
  load(id: SessionId): Effect.Effect<StoredSession | null, StoreError>
  /** Newest first; of a first message, 1,000 characters. */
  list(options: {
    readonly limit: number
    readonly workingDir?: string
  }): Effect.Effect<ListSessionsResult["sessions"], StoreError>
  /** Whether there was one. */
  remove(id: SessionId): Effect.Effect<boolean, StoreError>
}
