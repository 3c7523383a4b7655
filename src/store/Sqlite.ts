import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { lockHolder } from "./LockHolder.ts"
import { isDamage, isLocked, naming, toSqlError } from "./SqliteFailure.ts"

export interface Options {
  readonly filename: string
  /** Called when SQLite says that the file is damaged. */
  readonly onDamage?: () => void
}

/** How long a statement waits for a lock that another process holds (contract 10). */
export const lockPatience = "5 seconds"

/**
 * `node:sqlite` blocks the thread while it waits, and with it stdin, a cancel and every other fiber. So SQLite itself waits
 * no longer than this many milliseconds, enough for a commit next door, and the rest of the patience is slept.
 */
const blockingWaitMs = 5

const waiting = Schedule.min([Schedule.exponential("2 millis", 1.5), Schedule.spaced("50 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: lockPatience })
)

/** Beyond what a program with a fixed set of statements needs; the oldest goes first. */
const keptStatements = 64

/** A SQLite database behind `effect/sql`, closed with its scope. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const database = yield* Effect.acquireRelease(open(options), (database) => Effect.sync(() => database.close()))
  const statements = new Map<string, StatementSync>()

  const prepare = (sql: string) => {
    const kept = statements.get(sql)
    if (kept !== undefined) return kept
    const prepared = database.prepare(sql)
    if (statements.size >= keptStatements) {
      for (const oldest of statements.keys()) {
        statements.delete(oldest)
        break
      }
    }
    statements.set(sql, prepared)
    return prepared
  }

  const attempt = <A>(sql: string, run: () => A) =>
    Effect.try({
      try: run,
      catch: (cause) => {
        const error = toSqlError(cause, sql)
        if (isDamage(error)) options.onDamage?.()
        return error
      }
    }).pipe(
      Effect.retry({ while: isLocked, schedule: waiting }),
      Effect.mapError((error) => (isLocked(error) ? naming(lockHolder(options.filename), error) : error))
    )

  // Under WAL a killed process loses nothing without an fsync per commit; only a power cut may cost the last commits.
  const synchronous = "PRAGMA synchronous = NORMAL"
  yield* attempt(synchronous, () => database.exec(synchronous))

  const connection: Connection = {
    execute: (sql, params, transformRows) => attempt(sql, () => transformed(all(prepare(sql), params), transformRows)),
    executeRaw: (sql, params) =>
      attempt(sql, () => {
        const statement = prepare(sql)
        return statement.columns().length === 0 ? statement.run(...inputs(params)) : all(statement, params)
      }),
    executeStream: (sql, params, transformRows) =>
      Stream.fromIterableEffect(attempt(sql, () => transformed(all(database.prepare(sql), params), transformRows))),
    executeValues: (sql, params) => attempt(sql, () => values(database.prepare(sql), params)),
    executeValuesUnprepared: (sql, params) => attempt(sql, () => values(database.prepare(sql), params)),
    executeUnprepared: (sql, params, transformRows) =>
      attempt(sql, () => transformed(all(database.prepare(sql), params), transformRows))
  }

  return yield* SqlClient.make({
    // One connection and one semaphore: a fiber's transaction cannot be entered by another fiber's statement.
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connection),
      semaphore: Semaphore.makeUnsafe(1),
      isTransaction: () => database.isTransaction
    }),
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-node",
    // The lock is taken at the start, where waiting helps: a reader that turns writer is refused at once.
    beginTransaction: "BEGIN IMMEDIATE",
    prepareTransactionControls: true,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})

/** A database in a file, made if there is none; its directory must exist. */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))

/** A database that is gone with its scope. */
export const layerMemory: Layer.Layer<SqlClient.SqlClient, SqlError> = Layer.fresh(layer({ filename: ":memory:" }))

const open = (options: Options): Effect.Effect<DatabaseSync, SqlError> =>
  Effect.try({
    try: () => {
      const { DatabaseSync } = nodeSqlite()
      return new DatabaseSync(options.filename, {
        timeout: blockingWaitMs,
        enableForeignKeyConstraints: true,
        enableDoubleQuotedStringLiterals: false
      })
    },
    catch: (cause) => toSqlError(cause, `open ${options.filename}`)
  })

/** Some versions of Node say on stderr, when this is first loaded, that it is experimental: a host would worry for nothing. */
const nodeSqlite = () => {
  const emitWarning = process.emitWarning
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule("node:sqlite")
  } finally {
    process.emitWarning = emitWarning
  }
}

const inputs = (params: ReadonlyArray<unknown>) => params as ReadonlyArray<SQLInputValue>

const all = (statement: StatementSync, params: ReadonlyArray<unknown>): ReadonlyArray<object> =>
  statement.all(...inputs(params))

const values = (statement: StatementSync, params: ReadonlyArray<unknown>): ReadonlyArray<ReadonlyArray<unknown>> => {
  statement.setReturnArrays(true)
  return statement.all(...inputs(params)) as ReadonlyArray<unknown> as ReadonlyArray<ReadonlyArray<unknown>>
}

const transformed = (
  rows: ReadonlyArray<object>,
  transformRows: (<A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined
): ReadonlyArray<object> => (transformRows === undefined ? rows : transformRows(rows))
