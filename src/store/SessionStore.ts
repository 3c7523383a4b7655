import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { Config } from "../config/Config.ts"
import type { SessionHead } from "../domain/Session.ts"
import type { Entry } from "../domain/Transcript.ts"
import type { SessionId } from "../protocol/Ids.ts"
import type { ListSessionsResult } from "../protocol/Request.ts"
import * as Database from "./Database.ts"
import type { NewerDatabase } from "./Migrations.ts"
import type { SqliteClient } from "./Sqlite.ts"
import * as SqlSessions from "./SqlSessions.ts"
import type { StoreError } from "./StoreError.ts"
import { retryingStore } from "./RetryingStore.ts"

export { StoreError } from "./StoreError.ts"

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
>()("atomic-agent-sidecar/store/SessionStore") {
  /** Over a migrated database; every failure is the caller's. */
  static readonly layerSql: Layer.Layer<SessionStore, never, SqliteClient> = Layer.effect(this, SqlSessions.make)

  /** Gone with its scope. */
  static readonly layerMemory: Layer.Layer<SessionStore> = Layer.fresh(this.layerSql).pipe(
    Layer.provide(Database.layerMemory)
  )

  /**
   * `sidecar.sqlite` in the state directory. Where it cannot be opened or written, that is logged as an error and the
   * conversation goes on in memory; only a newer program's database is a reason not to start.
   */
  static readonly layer: Layer.Layer<SessionStore, NewerDatabase, Config> = Layer.unwrap(
    Effect.map(Config, ({ stateDir }) => this.layerFile(path.join(stateDir, "sidecar.sqlite")))
  )

  static layerFile(filename: string): Layer.Layer<SessionStore, NewerDatabase> {
    return Layer.effect(this, Effect.flatMap(SqlSessions.make, retryingStore)).pipe(
      Layer.provide(Database.layer(filename)),
      Layer.catchTag("StoreError", (error) =>
        this.layerMemory.pipe(
          Layer.tap(() =>
            Effect.logError(`${error.message}: sessions are kept in memory, and lost when the process ends`)
          )
        )
      )
    )
  }
}
