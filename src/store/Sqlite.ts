import * as Context from "effect/Context"
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
import { ExitDeadline } from "../process/ExitDeadline.ts"
import { lockHolder } from "./LockHolder.ts"
import { isDamage, isLocked, naming, toSqlError } from "./SqliteFailure.ts"

export interface Options {
  readonly filename: string
  /** Called when SQLite reports that the file is damaged. */
  readonly onDamage?: () => void
}

/** How long a statement waits for a lock that another process holds (contract 10). */
const lockTimeout = "5 seconds"

/**
 * The part of an exiting process's time in which it does not wait for a lock, in milliseconds, so that responses that
 * depend on it are still written.
 */
const exitReserveMs = 900

/**
 * In milliseconds. `node:sqlite` blocks the thread, and with it every fiber, waiting for a lock. So SQLite itself
 * waits only as long as another process's commit takes, and the rest of the time is slept.
 */
const blockingWaitMs = 5

/** Takes the write lock at the start, where SQLite waits for it: a reader that becomes a writer fails at once. */
const begin = "BEGIN IMMEDIATE"

const waiting = Schedule.min([Schedule.exponential("2 millis", 1.5), Schedule.spaced("50 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: lockTimeout })
)

/** Runs one statement of a transaction and returns its rows. */
export type Run = (statement: Statement.Statement<object>) => ReadonlyArray<object>

/** A `SqlClient` over one connection that can run a whole transaction in one synchronous step. */
export interface SqliteClient extends SqlClient.SqlClient {
  /**
   * Runs a transaction in half the time of `withTransaction`; not to be used within one of those. `work` is called
   * again if the database was locked, so it must do nothing but run statements.
   */
  readonly transact: <A>(work: (run: Run) => A) => Effect.Effect<A, SqlError>
}

export const SqliteClient = Context.Service<SqliteClient>("atomic-agent-sidecar/store/SqliteClient")

/** A SQLite database behind `effect/sql`, closed with its scope. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const database = yield* Effect.acquireRelease(open(options), (database) => Effect.sync(() => database.close()))
  const { remainingMs } = yield* ExitDeadline
  const mayWait = Effect.map(remainingMs, (remaining) => remaining > exitReserveMs)
  /** By their texts, which are those of this program: a few dozen. */
  const statements = new Map<string, StatementSync>()

  const prepare = (sql: string) => {
    const prepared = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, prepared)
    return prepared
  }

  const attempt = <A>(sql: string, run: () => A, failedAt = () => sql) =>
    Effect.try({
      try: run,
      catch: (cause) => {
        const error = toSqlError(cause, failedAt())
        if (isDamage(error)) options.onDamage?.()
        return error
      }
    }).pipe(
      Effect.retry({
        while: (error) => (isLocked(error) ? mayWait : Effect.succeed(false)),
        schedule: waiting
      }),
      Effect.mapError((error) => (isLocked(error) ? naming(lockHolder(options.filename), error) : error))
    )

  // In WAL mode a killed process loses nothing even without an fsync per commit; a power cut may cost the last commits.
  const synchronous = "PRAGMA synchronous = NORMAL"
  yield* attempt(synchronous, () => database.exec(synchronous))

  const execute: Connection["execute"] = (sql, params, transformRows) =>
    attempt(sql, () => transformed(all(prepare(sql), params), transformRows))
  const executeValues: Connection["executeValues"] = (sql, params) =>
    attempt(sql, () => values(database.prepare(sql), params))
  const connection: Connection = {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, params) =>
      attempt(sql, () => {
        const statement = prepare(sql)
        return statement.columns().length === 0 ? statement.run(...inputs(params)) : all(statement, params)
      }),
    executeStream: (...statement) => Stream.fromIterableEffect(execute(...statement)),
    executeValues,
    executeValuesUnprepared: executeValues
  }

  // One connection and one semaphore: a fiber's transaction cannot be entered by another fiber's statement.
  const semaphore = Semaphore.makeUnsafe(1)

  const transact = <A>(work: (run: Run) => A): Effect.Effect<A, SqlError> => {
    let doing = begin
    const step = (sql: string, params: ReadonlyArray<unknown>) => {
      doing = sql
      return all(prepare(sql), params)
    }
    const run: Run = (statement) => step(...statement.compile())
    const once = () => {
      step(begin, [])
      try {
        const done = work(run)
        step("COMMIT", [])
        return done
      } catch (cause) {
        if (database.isTransaction) database.exec("ROLLBACK")
        throw cause
      }
    }
    return semaphore.withPermit(attempt(begin, once, () => doing))
  }

  const client = yield* SqlClient.make({
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connection),
      semaphore,
      isTransaction: () => database.isTransaction
    }),
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-node",
    beginTransaction: begin,
    prepareTransactionControls: true,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  return Object.assign(client, { transact })
})

/** Provides a client as `SqliteClient` and as `SqlClient`. */
export const layerOf = <E, R>(client: Effect.Effect<SqliteClient, E, R>) =>
  Layer.effectContext(
    Effect.map(client, (made) => Context.make(SqliteClient, made).pipe(Context.add(SqlClient.SqlClient, made)))
  ).pipe(Layer.provide(Reactivity.layer))

/** A database in a file, which is made if it does not exist; its directory must exist. */
export const layer = (options: Options): Layer.Layer<SqliteClient | SqlClient.SqlClient, SqlError> =>
  layerOf(make(options))

/** A database in memory, which ends with its scope. */
export const layerMemory: Layer.Layer<SqliteClient | SqlClient.SqlClient, SqlError> = Layer.fresh(
  layer({ filename: ":memory:" })
)

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

/** Loads `node:sqlite` without the warning of some Node versions on stderr that it is experimental. */
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
