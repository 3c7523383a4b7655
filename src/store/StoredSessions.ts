import type * as Effect from "effect/Effect"
import type { SessionHead, SessionUpdate } from "../domain/Session.ts"
import type { Entry } from "../domain/Transcript.ts"
import type { SessionId } from "../protocol/Ids.ts"
import type { ListSessionsResult } from "../protocol/Request.ts"
import type { StoreError } from "./StoreError.ts"

/** A stored session: its head and its whole history, oldest entry first. */
export interface StoredSession {
  readonly head: SessionHead
  readonly history: ReadonlyArray<Entry>
}

/** What to fork, and as what. */
export interface Fork {
  readonly from: SessionId
  /** The id of the copy. */
  readonly to: SessionId
  /** The last turn of the copy; without it the last one that has ended. */
  readonly upTo?: string | undefined
  /** When the copy is made, in epoch milliseconds. */
  readonly at: number
}

/** Whether a session was forked, or why it was not. */
export type Forked = "forked" | "no session" | "no turn" | "not ended"

/** The operations of a store of sessions. */
export interface StoredSessions {
  /** Writes a new session's row. */
  create(head: SessionHead): Effect.Effect<void, StoreError>
  /**
   * Writes new entries and the head in one transaction, at a cost that does not grow with the session. `latestResult`
   * is not written, since `load` takes it from the last `tool_result`, nor are title and metadata of a stored session,
   * which are `update`'s. Uninterruptible: what has happened is stored.
   */
  commit(head: SessionHead, entries: ReadonlyArray<Entry>): Effect.Effect<void, StoreError>
  /**
   * Reads a session; null if there is none. If the process that ran its turn is gone, the session is stored and
   * returned as `cancelled`, with a `lastError` that says that the turn was interrupted (contract 10).
   */
  load(id: SessionId): Effect.Effect<StoredSession | null, StoreError>
  /** Lists sessions, the newest first, with at most 1,000 characters of their first messages. */
  list(options: {
    readonly limit: number
    readonly workingDir?: string
  }): Effect.Effect<ListSessionsResult["sessions"], StoreError>
  /** Changes title and metadata, and nothing else; false if there is no such session. */
  update(id: SessionId, change: SessionUpdate): Effect.Effect<boolean, StoreError>
  /**
   * Copies a session and its entries up to a turn in one transaction, as it was at the turn's end (contract 9). The
   * entries do not pass through memory.
   */
  fork(fork: Fork): Effect.Effect<Forked, StoreError>
  /** Deletes a session; false if there was none. */
  remove(id: SessionId): Effect.Effect<boolean, StoreError>
}
