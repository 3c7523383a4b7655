import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as TestClock from "effect/testing/TestClock"
import * as Sqlite from "../../src/store/Sqlite.ts"
import { temporaryDatabase } from "./stateDir.ts"

const connect = (filename: string) => Sqlite.make({ filename }).pipe(Effect.provide(Reactivity.layer))

const inMemory = <A, E>(use: (sql: Sqlite.SqliteClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(Sqlite.SqliteClient, use).pipe(Effect.provide(Sqlite.layerMemory))

/** Two connections to one new file, as two sidecars have them. */
const twoConnections = Effect.gen(function* () {
  const filename = yield* temporaryDatabase
  fs.mkdirSync(path.dirname(filename))
  const one = yield* connect(filename)
  yield* one`PRAGMA journal_mode = WAL`
  yield* one`CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE)`
  return [one, yield* connect(filename)] as const
})

describe("Sqlite", () => {
  it.effect("reads back what it wrote, as rows, values and a stream", () =>
    inMemory((sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE TABLE t (a INTEGER, b TEXT)`
        yield* sql`INSERT INTO t VALUES (${1}, ${"one"}), (${2}, ${null})`
        assert.deepStrictEqual(
          (yield* sql`SELECT * FROM t`).map((row) => ({ ...row })),
          [
            { a: 1, b: "one" },
            { a: 2, b: null }
          ]
        )
        assert.deepStrictEqual(yield* sql`SELECT a, a FROM t`.values, [
          [1, 1],
          [2, 2]
        ])
        assert.lengthOf(yield* Stream.runCollect(sql`SELECT * FROM t`.stream), 2)
        assert.deepInclude(yield* sql`DELETE FROM t`.raw, { changes: 2 })
        assert.deepStrictEqual(yield* sql`SELECT * FROM t`.raw, [])
      })
    )
  )

  it.effect("tells a broken rule from a broken statement", () =>
    inMemory((sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE TABLE t (a INTEGER UNIQUE, b INTEGER REFERENCES t (a))`
        yield* sql`INSERT INTO t VALUES (1, NULL)`
        const reasons = yield* Effect.forEach(
          [sql`INSERT INTO t VALUES (1, NULL)`, sql`INSERT INTO t VALUES (2, 3)`, sql`SELEC`],
          (statement) => Effect.map(Effect.flip(statement), (error) => error.reason._tag)
        )
        assert.deepStrictEqual(reasons, ["UniqueViolation", "ConstraintError", "UnknownError"])
      })
    )
  )

  it.effect("keeps a fiber's statement out of another fiber's transaction", () =>
    inMemory((sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE TABLE t (a INTEGER)`
        const inside = yield* Deferred.make<void>()
        const leave = yield* Deferred.make<void>()
        const failing = yield* sql`INSERT INTO t VALUES (1)`.pipe(
          Effect.andThen(Deferred.succeed(inside, undefined)),
          Effect.andThen(Deferred.await(leave)),
          Effect.andThen(Effect.fail("rolled back")),
          sql.withTransaction,
          Effect.flip,
          Effect.forkChild
        )
        yield* Deferred.await(inside)
        const other = yield* Effect.forkChild(sql`INSERT INTO t VALUES (2)`)
        yield* Deferred.succeed(leave, undefined)
        assert.strictEqual(yield* Fiber.join(failing), "rolled back")
        yield* Fiber.join(other)
        assert.deepStrictEqual(yield* sql`SELECT a FROM t`.values, [[2]])
      })
    )
  )

  it.effect("does a transaction in one step, and answers what its work answers", () =>
    inMemory((sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE TABLE t (a INTEGER)`
        const rows = yield* sql.transact((run) => {
          run(sql`INSERT INTO t VALUES (${1}), (${2})`)
          return run(sql`UPDATE t SET a = a + 10 RETURNING a`)
        })
        assert.deepStrictEqual(
          rows.map((row) => ({ ...row })),
          [{ a: 11 }, { a: 12 }]
        )
        assert.deepStrictEqual(yield* sql`SELECT a FROM t`.values, [[11], [12]])
      })
    )
  )

  it.effect("undoes a transaction of which one statement fails, names that one, and goes on", () =>
    inMemory((sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE TABLE t (a INTEGER UNIQUE)`
        const error = yield* Effect.flip(
          sql.transact((run) => {
            run(sql`INSERT INTO t VALUES (1)`)
            run(sql`INSERT INTO t (a) VALUES (1)`)
          })
        )
        assert.strictEqual(error.reason._tag, "UniqueViolation")
        assert.strictEqual(error.reason.operation, "INSERT INTO t (a) VALUES (1)")
        yield* sql.transact((run) => run(sql`INSERT INTO t VALUES (2)`))
        assert.deepStrictEqual(yield* sql`SELECT a FROM t`.values, [[2]])
      })
    )
  )

  it.effect("lets no transaction in one step into another fiber's", () =>
    inMemory((sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE TABLE t (a INTEGER)`
        const inside = yield* Deferred.make<void>()
        const leave = yield* Deferred.make<void>()
        const failing = yield* Deferred.succeed(inside, undefined).pipe(
          Effect.andThen(Deferred.await(leave)),
          Effect.andThen(Effect.fail("rolled back")),
          sql.withTransaction,
          Effect.flip,
          Effect.forkChild
        )
        yield* Deferred.await(inside)
        const other = yield* Effect.forkChild(sql.transact((run) => run(sql`INSERT INTO t VALUES (2)`)))
        yield* Deferred.succeed(leave, undefined)
        yield* Fiber.join(failing)
        yield* Fiber.join(other)
        assert.deepStrictEqual(yield* sql`SELECT a FROM t`.values, [[2]])
      })
    )
  )

  it.effect("undoes only the inner of two transactions", () =>
    inMemory((sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE TABLE t (a INTEGER)`
        yield* sql`INSERT INTO t VALUES (1)`.pipe(
          Effect.andThen(
            sql`INSERT INTO t VALUES (2)`.pipe(Effect.andThen(Effect.fail("inner")), sql.withTransaction, Effect.ignore)
          ),
          sql.withTransaction
        )
        assert.deepStrictEqual(yield* sql`SELECT a FROM t`.values, [[1]])
      })
    )
  )

  it.effect("sleeps, without blocking, until another process lets go of the lock", () =>
    Effect.gen(function* () {
      const [one, two] = yield* twoConnections
      yield* one`BEGIN IMMEDIATE`
      const waiting = yield* Effect.forkChild(two.withTransaction(two`INSERT INTO t VALUES (1, 'x')`))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* one`COMMIT`
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(yield* one`SELECT a FROM t`.values, [[1]])
    })
  )

  it.effect("gives up on a lock after five seconds, and works again afterwards", () =>
    Effect.gen(function* () {
      const [one, two] = yield* twoConnections
      yield* one`BEGIN IMMEDIATE`
      const waiting = yield* Effect.forkChild(Effect.flip(two.withTransaction(two`INSERT INTO t VALUES (1, 'x')`)))
      yield* TestClock.adjust("6 seconds")
      const error = yield* Fiber.join(waiting)
      assert.strictEqual(error.reason._tag, "LockTimeoutError")
      assert.include(error.message, "database is locked")
      if (process.platform === "linux") assert.include(error.message, `by process ${process.pid}`)
      yield* one`COMMIT`
      yield* two.withTransaction(two`INSERT INTO t VALUES (2, 'y')`)
      assert.deepStrictEqual(yield* one`SELECT a FROM t`.values, [[2]])
    })
  )

  it.effect("does a transaction in one step as soon as another process lets go of the lock", () =>
    Effect.gen(function* () {
      const [one, two] = yield* twoConnections
      yield* one`BEGIN IMMEDIATE`
      const waiting = yield* Effect.forkChild(two.transact((run) => run(two`INSERT INTO t VALUES (1, 'x')`)))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* one`COMMIT`
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(yield* one`SELECT a FROM t`.values, [[1]])
    })
  )

  it.effect("lets a reader read while another process writes", () =>
    Effect.gen(function* () {
      const [one, two] = yield* twoConnections
      yield* one`BEGIN IMMEDIATE`
      yield* one`INSERT INTO t VALUES (1, 'x')`
      assert.deepStrictEqual(yield* two`SELECT a FROM t`.values, [])
    })
  )

  it.effect("closes the database with its scope, leaving no side files", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      fs.mkdirSync(path.dirname(filename))
      const scope = yield* Scope.make()
      const sql = yield* Scope.provide(connect(filename), scope)
      yield* sql`PRAGMA journal_mode = WAL`
      yield* sql`CREATE TABLE t (a INTEGER)`
      assert.include(fs.readdirSync(path.dirname(filename)), "sidecar.sqlite-wal")
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(fs.readdirSync(path.dirname(filename)), ["sidecar.sqlite"])
    })
  )

  it.effect("opens no file that cannot be opened, and says so", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Layer.build(Sqlite.layer({ filename: "/dev/null/nowhere.sqlite" })))
      assert.strictEqual(error.reason._tag, "ConnectionError")
    })
  )

  it("prints nothing when it is first used, though Node may call it experimental", () => {
    const script = `
      const getBuiltinModule = process.getBuiltinModule
      process.getBuiltinModule = (id) => {
        if (id === "node:sqlite") process.emitWarning("SQLite is an experimental feature", "ExperimentalWarning")
        return getBuiltinModule(id)
      }
      const Effect = await import("effect/Effect")
      const Layer = await import("effect/Layer")
      const Sqlite = await import(${JSON.stringify(import.meta.resolve("../../src/store/Sqlite.ts"))})
      await Effect.runPromise(Effect.scoped(Layer.build(Sqlite.layerMemory)))
      process.emitWarning("one of ours")`
    const run = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" })
    assert.deepStrictEqual([run.status, run.stdout], [0, ""])
    assert.notInclude(run.stderr, "experimental")
    assert.include(run.stderr, "one of ours")
  })
})
