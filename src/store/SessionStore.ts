import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { Config } from "../config/Config.ts"
import * as Database from "./Database.ts"
import type { NewerDatabase } from "./Migrations.ts"
import type { SqliteClient } from "./Sqlite.ts"
import * as SqlSessions from "./SqlSessions.ts"
import type { StoredSessions } from "./StoredSessions.ts"
import { retryingStore } from "./RetryingStore.ts"

export { StoreError } from "./StoreError.ts"
export type { StoredSession } from "./StoredSessions.ts"

/** Stores sessions in SQLite: a row for each session and a row for each entry of its history. */
export class SessionStore extends Context.Service<SessionStore, StoredSessions>()(
  "atomic-agent-sidecar/store/SessionStore"
) {
  /** Over a migrated database. Every failure is returned to the caller. */
  static readonly layerSql: Layer.Layer<SessionStore, never, SqliteClient> = Layer.effect(this, SqlSessions.make)

  /** In memory; it ends with its scope. */
  static readonly layerMemory: Layer.Layer<SessionStore> = Layer.fresh(this.layerSql).pipe(
    Layer.provide(Database.layerMemory)
  )

  /**
   * `sidecar.sqlite` in the state directory. If it cannot be opened or written, that is logged as an error and the
   * conversation goes on in memory; only the database of a newer program prevents the start.
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
