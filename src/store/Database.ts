import * as fs from "node:fs"
import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { makeFolders } from "../config/Folders.ts"
import { latestVersion, migrate, type NewerDatabase, versionOf } from "./Migrations.ts"
import * as Sqlite from "./Sqlite.ts"
import { isDamage, whyNot } from "./SqliteFailure.ts"
import { refused, StoreError } from "./StoreError.ts"

/**
 * The sidecar's database in a file: made if missing, checked and migrated. A damaged file is renamed, logged as an
 * error and replaced; one of a newer release fails with `NewerDatabase` (runtime, State directory).
 */
export const layer = (
  filename: string
): Layer.Layer<Sqlite.SqliteClient | SqlClient.SqlClient, StoreError | NewerDatabase> => Sqlite.layerOf(open(filename))

/** A database in memory, which ends with its scope. */
export const layerMemory: Layer.Layer<Sqlite.SqliteClient | SqlClient.SqlClient> = Layer.fresh(
  Layer.effectDiscard(migrate).pipe(Layer.provideMerge(Sqlite.layerMemory), Layer.orDie)
)

class Damaged extends Schema.TaggedError<Damaged>()("Damaged", { why: Schema.String }) {}

/** In bytes. All pages of a database up to this size are checked when it is opened, which takes about 2 ms. */
const alwaysChecked = 2 * 1024 * 1024

const open = Effect.fnUntraced(function* (filename: string) {
  yield* onDisk(`make ${filename}`, () => prepare(filename))
  const scope = yield* Effect.scope
  // Three attempts, since a sidecar that starts at the same time may be the one that renames the file.
  return yield* openOnce(filename, scope).pipe(
    Effect.retry({ while: (error) => error._tag === "Damaged", times: 2 }),
    Effect.catchTag("Damaged", ({ why }) => new StoreError({ doing: `open ${filename}`, why }))
  )
})

const openOnce = Effect.fnUntraced(function* (filename: string, parent: Scope.Scope) {
  const opened = inode(filename)
  const scope = yield* Scope.fork(parent)
  return yield* ready(filename).pipe(
    Effect.mapError((error) => (error._tag === "SqlError" ? unopened(filename, error) : error)),
    Scope.provide(scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
    Effect.tapErrorTag("Damaged", ({ why }) => (inode(filename) === opened ? setAside(filename, why) : Effect.void))
  )
})

const ready = Effect.fnUntraced(function* (filename: string) {
  const sql = yield* Sqlite.make({ filename, onDamage: () => suspect(filename) })
  const version = yield* Effect.provideService(versionOf(filename), SqlClient.SqlClient, sql)
  yield* check(filename, sql)
  // In WAL mode readers and a writer do not wait for each other, and a commit is one append.
  yield* sql`PRAGMA journal_mode = WAL`
  if (version < latestVersion) yield* Effect.provideService(migrate, SqlClient.SqlClient, sql)
  return sql
})

/** Large files are not checked, to start quickly, unless a sidecar that used this one has met with damage. */
const check = Effect.fnUntraced(function* (filename: string, sql: SqlClient.SqlClient) {
  const suspected = fs.existsSync(suspicion(filename))
  if (!suspected && fs.statSync(filename).size > alwaysChecked) return
  const [row] = yield* sql<{ quick_check: string }>`PRAGMA quick_check(1)`
  if (row?.quick_check !== "ok") return yield* new Damaged({ why: `the database is damaged (${row?.quick_check})` })
  if (suspected) fs.rmSync(suspicion(filename), { force: true })
})

const unopened = (filename: string, error: SqlError): Damaged | StoreError =>
  isDamage(error) ? new Damaged({ why: whyNot(error) }) : refused(`open ${filename}`)(error)

const setAside = Effect.fnUntraced(function* (filename: string, why: string) {
  const time = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(":", "-")
  const aside = `${filename}.damaged-${time}`
  yield* onDisk(`set aside ${filename}`, () => {
    // The file itself goes last: a remaining log would be replayed into the new database.
    for (const part of ["-wal", "-shm", ""]) {
      if (fs.existsSync(filename + part)) fs.renameSync(filename + part, aside + part)
    }
    fs.rmSync(suspicion(filename), { force: true })
    prepare(filename)
  })
  yield* Effect.logError(`${why}: ${filename} was renamed to ${aside}, and a new one was made`)
})

/** Only the owner may read conversations: modes 0700 and 0600, which SQLite's side files inherit. */
const prepare = (filename: string) => {
  makeFolders(path.dirname(filename))
  // An existing file is not opened: closing it again would drop the locks that this process has on it elsewhere.
  if (fs.existsSync(filename)) return fs.chmodSync(filename, 0o600)
  fs.closeSync(fs.openSync(filename, "a", 0o600))
}

/** A file whose presence demands a check at the next start. */
const suspicion = (filename: string) => `${filename}.suspect`

const suspect = (filename: string) => {
  try {
    fs.writeFileSync(suspicion(filename), "")
  } catch {
    // The damage itself is reported by the statement that met with it.
  }
}

const inode = (filename: string): number | undefined => fs.statSync(filename, { throwIfNoEntry: false })?.ino

const onDisk = <A>(doing: string, run: () => A): Effect.Effect<A, StoreError> =>
  Effect.try({
    try: run,
    catch: (cause) => new StoreError({ doing, why: cause instanceof Error ? cause.message : String(cause) })
  })
