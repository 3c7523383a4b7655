import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"

/** The database was written by a newer release of this program, and is not touched (runtime, State directory). */
export class NewerDatabase extends Schema.TaggedError<NewerDatabase>()("NewerDatabase", {
  filename: Schema.String,
  version: Schema.Int
}) {
  override get message() {
    return (
      `${this.filename}: expected a database of version ${latestVersion} or older, got version ${this.version}, ` +
      `written by a newer atomic-agent-sidecar; use that one, or another ATOMIC_AGENT_STATE_DIR`
    )
  }
}

/**
 * Each migration ends by setting `user_version` to its own number, in its own transaction. The number is in the file's
 * header, so one read shows whether a newer program wrote the database, even if its tables are unknown.
 */
const migrations = {
  "0001_sessions": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      CREATE TABLE sessions (
        id TEXT PRIMARY KEY NOT NULL,
        working_dir TEXT NOT NULL,
        status TEXT NOT NULL,
        turn_count INTEGER NOT NULL,
        step_count INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        first_message TEXT,
        last_error TEXT,
        loaded_skills TEXT NOT NULL,
        context_usage TEXT,
        owner_pid INTEGER NOT NULL,
        owner_started TEXT NOT NULL
      ) STRICT`
    // In a table of its own, since it may be large and seldom changes, while each commit rewrites the session's row.
    yield* sql`
      CREATE TABLE session_metadata (
        session_id TEXT PRIMARY KEY NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        json TEXT NOT NULL
      ) STRICT`
    yield* sql`
      CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        json TEXT NOT NULL
      ) STRICT`
    yield* sql`CREATE INDEX entries_of_session ON entries (session_id)`
    yield* sql`PRAGMA user_version = 1`
  }),
  "0002_titles_and_turn_ends": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE sessions ADD COLUMN title TEXT`
    // What the session's row was when each turn had ended, for a fork at that turn: entries do not tell all of it.
    yield* sql`
      CREATE TABLE turn_ends (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        turn_count INTEGER NOT NULL,
        status TEXT NOT NULL,
        step_count INTEGER NOT NULL,
        last_error TEXT,
        loaded_skills TEXT NOT NULL,
        context_usage TEXT,
        PRIMARY KEY (session_id, turn_count)
      ) STRICT, WITHOUT ROWID`
    yield* sql`PRAGMA user_version = 2`
  })
}

export const latestVersion = Object.keys(migrations).length

/** The version of the open database, 0 for a new one. Reads its header and changes nothing. */
export const versionOf = Effect.fnUntraced(function* (filename: string) {
  const sql = yield* SqlClient.SqlClient
  const [header] = yield* sql<{ user_version: number }>`PRAGMA user_version`
  const version = header?.user_version ?? 0
  return version > latestVersion ? yield* new NewerDatabase({ filename, version }) : version
})

/** Migrates the database to the latest version. Of several processes that try at once, one does it. */
export const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations) }).pipe(
  // A failure of the database is expected (a full disk); a wrong migration is a defect.
  Effect.catchTag("MigrationError", (error) => (isSqlError(error.cause) ? Effect.fail(error.cause) : Effect.die(error)))
)
