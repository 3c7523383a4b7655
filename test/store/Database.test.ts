import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as Database from "../../src/store/Database.ts"
import { latestVersion } from "../../src/store/Migrations.ts"
import { errorLog } from "./logs.ts"
import { temporaryDatabase } from "./stateDir.ts"

/** Opens a database, uses it and closes it. */
const using = <A, E>(filename: string, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient.SqlClient, use).pipe(Effect.provide(Layer.fresh(Database.layer(filename))))

const openOnly = (filename: string) => using(filename, () => Effect.void)

const insert = (sql: SqlClient.SqlClient, id: string) =>
  sql`INSERT INTO sessions VALUES (${id}, '/w', 'pending', 0, 0, 1, 1, NULL, NULL, '[]', NULL, 1, '', NULL)`

const ids = (sql: SqlClient.SqlClient) => Effect.map(sql`SELECT id FROM sessions`.values, (rows) => rows.flat())

/** A database with a session and as many entries of a kilobyte. */
const filled = (filename: string, kilobytes: number) =>
  using(filename, (sql) =>
    insert(sql, "s-1").pipe(
      Effect.andThen(
        Effect.forEach(
          Array.from({ length: kilobytes }),
          () => sql`INSERT INTO entries (session_id, json) VALUES ('s-1', ${"x".repeat(1000)})`,
          { discard: true }
        )
      ),
      sql.withTransaction
    )
  )

const overwrite = (filename: string, from: number, to: number) => {
  const bytes = fs.readFileSync(filename)
  bytes.fill(0x5a, from, to)
  fs.writeFileSync(filename, bytes)
}

/** The files beside the database, with the time taken out of their names. */
const files = (filename: string) =>
  fs
    .readdirSync(path.dirname(filename))
    .map((name) => name.replace(/damaged-[-0-9T.]+Z/, "damaged-<time>"))
    .toSorted()

const mode = (file: string) => (fs.statSync(file).mode & 0o777).toString(8)

describe("Database", () => {
  it.effect("is its owner's alone, with its directory and its side files", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      yield* using(filename, (sql) =>
        Effect.map(insert(sql, "s-1"), () => {
          assert.deepStrictEqual([path.dirname(filename), filename, `${filename}-wal`, `${filename}-shm`].map(mode), [
            "700",
            "600",
            "600",
            "600"
          ])
        })
      )
      fs.chmodSync(filename, 0o644)
      yield* openOnly(filename)
      assert.strictEqual(mode(filename), "600")
    })
  )

  it.effect("keeps what was written, needs no fsync per commit, and minds foreign keys", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      yield* using(filename, (sql) => insert(sql, "s-1"))
      yield* using(filename, (sql) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* ids(sql), ["s-1"])
          assert.deepStrictEqual(yield* sql`PRAGMA journal_mode`.values, [["wal"]])
          assert.deepStrictEqual(yield* sql`PRAGMA synchronous`.values, [[1]])
          assert.deepStrictEqual(yield* sql`PRAGMA foreign_keys`.values, [[1]])
          assert.deepStrictEqual(yield* sql`PRAGMA user_version`.values, [[latestVersion]])
        })
      )
      assert.deepStrictEqual(files(filename), ["sidecar.sqlite"])
    })
  )

  it.effect("is made once by two that open it together", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      yield* Effect.all([openOnly(filename), openOnly(filename), openOnly(filename)], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* using(filename, ids), [])
    })
  )

  it.effect("waits for a sidecar that is just making it", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      fs.mkdirSync(path.dirname(filename))
      const other = new DatabaseSync(filename)
      other.exec("BEGIN EXCLUSIVE; CREATE TABLE theirs (a)")
      const opening = yield* Effect.forkChild(using(filename, ids))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(opening.pollUnsafe())
      other.exec("COMMIT")
      other.close()
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(opening), [])
    })
  )

  it.effect.each(["delete", "wal"])("does not touch a newer program's database (journal mode %s)", (journal) =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      fs.mkdirSync(path.dirname(filename))
      const newer = new DatabaseSync(filename)
      newer.exec(`PRAGMA journal_mode = ${journal}; CREATE TABLE theirs (a); PRAGMA user_version = 99`)
      newer.close()
      const before = fs.readFileSync(filename)
      const error = yield* Effect.flip(openOnly(filename))
      assert.strictEqual(error._tag, "NewerDatabase")
      assert.include(
        error.message,
        `${filename}: expected a database of version ${latestVersion} or older, got version 99`
      )
      assert.deepStrictEqual(fs.readFileSync(filename), before)
      assert.deepStrictEqual(files(filename), ["sidecar.sqlite"])
    })
  )

  const page = 4096
  it.effect.each([
    { damage: "other bytes from the start", from: 0, to: 8 * page },
    { damage: "another header", from: 0, to: 16 },
    { damage: "a broken schema", from: 100, to: page },
    { damage: "a broken page", from: 6 * page, to: 7 * page }
  ])("sets a damaged one aside, says so, and goes on with a new one: $damage", ({ from, to }) =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      yield* filled(filename, 100)
      overwrite(filename, from, to)
      const before = fs.readFileSync(filename)
      const log = errorLog()
      const found = yield* using(filename, (sql) => insert(sql, "s-2").pipe(Effect.andThen(ids(sql)))).pipe(
        Effect.provide(log.layer)
      )
      assert.deepStrictEqual(found, ["s-2"])
      assert.deepStrictEqual(
        files(filename).filter((name) => !/-(wal|shm)$/.test(name)),
        ["sidecar.sqlite", "sidecar.sqlite.damaged-<time>"]
      )
      const aside = fs.readdirSync(path.dirname(filename)).find((name) => name.endsWith("Z"))
      assert.deepStrictEqual(fs.readFileSync(path.join(path.dirname(filename), aside ?? "")), before)
      assert.lengthOf(log.lines, 1)
      assert.include(log.lines[0], `the database is damaged`)
      assert.include(log.lines[0], `${filename} was renamed to ${path.join(path.dirname(filename), aside ?? "")}`)
      assert.strictEqual(mode(filename), "600")
    })
  )

  it.effect("sets the log of a damaged one aside too, where another sidecar still has it open", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      yield* filled(filename, 10)
      const other = new DatabaseSync(filename)
      other.exec("UPDATE sessions SET status = 'running'")
      overwrite(filename, 100, page)
      yield* openOnly(filename).pipe(Effect.provide(errorLog().layer))
      assert.includeMembers(files(filename), ["sidecar.sqlite.damaged-<time>", "sidecar.sqlite.damaged-<time>-wal"])
      assert.notInclude(files(filename), "sidecar.sqlite-wal")
      other.close()
    })
  )

  it.effect("makes one new database where several find the damage together", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      yield* filled(filename, 10)
      overwrite(filename, 0, 16)
      const log = errorLog()
      yield* Effect.all(
        ["s-2", "s-3", "s-4"].map((id) => using(filename, (sql) => insert(sql, id))),
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(log.layer))
      assert.deepStrictEqual(yield* using(filename, ids), ["s-2", "s-3", "s-4"])
      assert.lengthOf(log.lines, 1)
    })
  )

  it.effect("trusts a large one at the start, and looks through it after somebody came upon a damage", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      yield* filled(filename, 3000)
      overwrite(filename, 400 * page, 420 * page)
      yield* using(filename, (sql) => Effect.flip(sql`SELECT sum(length(json)) FROM entries`))
      assert.deepStrictEqual(files(filename), ["sidecar.sqlite", "sidecar.sqlite.suspect"])
      const log = errorLog()
      assert.deepStrictEqual(yield* using(filename, ids).pipe(Effect.provide(log.layer)), [])
      assert.deepStrictEqual(files(filename), ["sidecar.sqlite", "sidecar.sqlite.damaged-<time>"])
      assert.lengthOf(log.lines, 1)
    })
  )

  it.effect("keeps a suspected one that turns out to be whole", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      yield* filled(filename, 10)
      fs.writeFileSync(`${filename}.suspect`, "")
      assert.deepStrictEqual(yield* using(filename, ids), ["s-1"])
      assert.deepStrictEqual(files(filename), ["sidecar.sqlite"])
    })
  )

  it.effect("says what is wrong where there can be none", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      fs.mkdirSync(filename, { recursive: true })
      const directory = yield* Effect.flip(openOnly(filename))
      assert.strictEqual(directory._tag, "StoreError")
      assert.include(directory.message, `open ${filename}: the database cannot be opened`)
      const nowhere = yield* Effect.flip(openOnly("/dev/null/state/sidecar.sqlite"))
      assert.strictEqual(nowhere._tag, "StoreError")
      assert.include(nowhere.message, "make /dev/null/state/sidecar.sqlite: ")
    })
  )
})
