import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../../src/config/Config.ts"
import type { Entry } from "../../src/domain/Transcript.ts"
import { SessionId } from "../../src/protocol/Ids.ts"
import * as Database from "../../src/store/Database.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { errorLog } from "./logs.ts"
import { head, id, oneOfEach, said } from "./sessions.ts"
import { temporaryDatabase } from "./stateDir.ts"

/** A connection of its own to the database, open until the test ends. */
const openStore = (filename: string) =>
  Effect.map(Layer.build(Layer.fresh(SessionStore.layerFile(filename))), Context.get(SessionStore))

const inMemory = Effect.map(Layer.build(SessionStore.layerMemory), Context.get(SessionStore))

/** Changes the database behind the store's back. */
const tamper = (filename: string, sql: string) => {
  const database = new DatabaseSync(filename)
  database.exec(sql)
  database.close()
}

const name = (n: number) => SessionId.make(`s-${n}`)

describe("SessionStore", () => {
  it.effect("gives back a session as it was committed, notices and awkward text too", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      const first = head({ metadata: { window: { x: 1 }, 日本: [null, "\u2028"] } })
      const last = {
        ...first,
        status: "completed" as const,
        turnCount: 1,
        stepCount: 3,
        updatedAt: 2_000,
        lastError: "it's \0 broken",
        latestResult: { tool: "fs.list", status: "ok" as const, summary: "a\nb" },
        loadedSkills: [{ name: "pdf", version: "1.0.0", loadedAt: 5 }],
        contextUsage: { usedTokens: 10, windowTokens: 4096 }
      }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openStore(filename)
          yield* store.create(first)
          assert.deepStrictEqual(yield* store.load(id), { head: first, history: [] })
          yield* store.commit({ ...first, status: "running" }, oneOfEach.slice(0, 3))
          yield* store.commit(last, oneOfEach.slice(3))
          assert.deepStrictEqual(yield* store.load(id), { head: last, history: oneOfEach })
        })
      )
      const again = yield* openStore(filename)
      assert.deepStrictEqual(yield* again.load(id), { head: last, history: oneOfEach })
    })
  )

  it.effect("knows no session that was never created", () =>
    Effect.gen(function* () {
      const store = yield* inMemory
      assert.isNull(yield* store.load(name(1)))
      assert.isFalse(yield* store.remove(name(1)))
      assert.deepStrictEqual(yield* store.list({ limit: 50 }), [])
    })
  )

  it.effect("keeps the entries of sessions that take turns apart, and in order", () =>
    Effect.gen(function* () {
      const store = yield* inMemory
      for (const n of [1, 2]) yield* store.create(head({ id: name(n) }))
      for (let round = 0; round < 20; round++) {
        for (const n of [1, 2]) yield* store.commit(head({ id: name(n) }), [said(`${n}:${round}`)])
      }
      for (const n of [1, 2]) {
        const stored = yield* store.load(name(n))
        assert.deepStrictEqual(
          stored?.history,
          Array.from({ length: 20 }, (_, round) => said(`${n}:${round}`))
        )
      }
    })
  )

  it.effect("lists the newest first, with what was said first, as many as asked, of one directory if asked", () =>
    Effect.gen(function* () {
      const store = yield* inMemory
      yield* store.create(head({ id: name(1), updatedAt: 1, workingDir: "/a", metadata: { big: "x" } }))
      yield* store.create(head({ id: name(2), updatedAt: 3, workingDir: "/b" }))
      yield* store.create(head({ id: name(3), updatedAt: 2, workingDir: "/a", turnCount: 4, status: "failed" }))
      yield* store.commit(head({ id: name(1), updatedAt: 4, workingDir: "/a" }), [
        { kind: "notice", at: 1, turnId: "t-1", text: "not this" },
        said("first"),
        said("second")
      ])
      yield* store.commit(head({ id: name(1), updatedAt: 5, workingDir: "/a" }), [said("third")])
      const all = yield* store.list({ limit: 50 })
      assert.deepStrictEqual(
        all.map((each) => each.id),
        [name(1), name(2), name(3)]
      )
      assert.deepStrictEqual(all[0], {
        id: name(1),
        workingDir: "/a",
        status: "pending",
        turnCount: 0,
        firstMessage: "first",
        createdAt: 1_000,
        updatedAt: 5
      })
      assert.strictEqual(all[1]?.firstMessage, "")
      assert.lengthOf(yield* store.list({ limit: 2 }), 2)
      assert.deepStrictEqual(
        (yield* store.list({ limit: 50, workingDir: "/a" })).map((each) => each.id),
        [name(1), name(3)]
      )
    })
  )

  it.effect.each([
    ["a".repeat(5000), "a".repeat(1000)],
    ["a".repeat(999) + "😀", "a".repeat(999)]
  ])("cuts a long first message between characters", ([text = "", listed]) =>
    Effect.gen(function* () {
      const store = yield* inMemory
      yield* store.commit(head(), [said(text)])
      assert.strictEqual((yield* store.list({ limit: 1 }))[0]?.firstMessage, listed)
      assert.deepStrictEqual((yield* store.load(id))?.history, [said(text)])
    })
  )

  it.effect("keeps no half of a character", () =>
    Effect.gen(function* () {
      const store = yield* inMemory
      const call = (text: string): Entry => ({
        kind: "assistant_tool_call",
        at: 2,
        turnId: "t-1",
        callId: "c-1",
        tool: "fs.list",
        args: { [text]: [text] }
      })
      yield* store.commit(head({ metadata: { "\ude00": "\ud83d" } }), [said("x\ud800y"), call("\ud83d")])
      assert.strictEqual((yield* store.list({ limit: 1 }))[0]?.firstMessage, "x\ufffdy")
      const stored = yield* store.load(id)
      assert.deepStrictEqual(stored?.history, [said("x\ufffdy"), call("\ufffd")])
      assert.deepStrictEqual(stored?.head.metadata, { "\ufffd": "\ufffd" })
    })
  )

  it.effect("forgets a session with all that belongs to it, and no other", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      const store = yield* openStore(filename)
      yield* store.commit(head({ metadata: { a: 1 } }), [said("x")])
      yield* store.commit(head({ id: name(2) }), [said("y")])
      assert.isTrue(yield* store.remove(id))
      assert.isFalse(yield* store.remove(id))
      assert.isNull(yield* store.load(id))
      assert.deepStrictEqual((yield* store.load(name(2)))?.history, [said("y")])
      const database = new DatabaseSync(filename)
      const counts = database
        .prepare(
          "SELECT (SELECT count(*) FROM entries) AS entries, (SELECT count(*) FROM session_metadata) AS metadata"
        )
        .get()
      database.close()
      assert.deepStrictEqual({ ...counts }, { entries: 1, metadata: 1 })
    })
  )

  it.effect("changes title and metadata alone, and no commit writes them back", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      const store = yield* openStore(filename)
      assert.isFalse(yield* store.update(id, { title: "x", metadata: { a: 1 } }))
      yield* store.create(head({ metadata: { a: 1 } }))
      assert.isTrue(yield* store.update(id, { title: "Ours" }))
      assert.deepStrictEqual((yield* store.load(id))?.head, head({ metadata: { a: 1 }, title: "Ours" }))
      assert.isTrue(yield* store.update(id, { metadata: { b: 2 } }))
      yield* store.commit(head({ turnCount: 1, metadata: { a: 1 }, title: "Old" }), [said("x")])
      const expected = head({ turnCount: 1, metadata: { b: 2 }, title: "Ours" })
      assert.deepStrictEqual((yield* store.load(id))?.head, expected)
      assert.isTrue(yield* store.update(id, {}))
      assert.deepStrictEqual((yield* (yield* openStore(filename)).load(id))?.head, expected)
      assert.isTrue(yield* store.update(id, { title: "" }))
      assert.deepStrictEqual((yield* store.load(id))?.head, head({ turnCount: 1, metadata: { b: 2 } }))
    })
  )

  it.effect("gives a session that it never saw the title of its first commit", () =>
    Effect.gen(function* () {
      const store = yield* inMemory
      yield* store.commit(head({ title: "Ours" }), [said("x")])
      assert.strictEqual((yield* store.load(id))?.head.title, "Ours")
    })
  )

  it.effect("writes a commit whole or not at all", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      const store = yield* Effect.map(
        Layer.build(SessionStore.layerSql.pipe(Layer.provide(Database.layer(filename)))),
        Context.get(SessionStore)
      )
      yield* store.create(head())
      tamper(
        filename,
        `CREATE TRIGGER refuse BEFORE INSERT ON entries WHEN new.json LIKE '%third%' BEGIN SELECT raise(ABORT, 'no'); END`
      )
      const error = yield* Effect.flip(store.commit(head({ turnCount: 1 }), ["first", "second", "third"].map(said)))
      assert.strictEqual(error._tag, "StoreError")
      assert.strictEqual(error.message, `write to session ${id}: no`)
      assert.deepStrictEqual(yield* store.load(id), { head: head(), history: [] })
    })
  )

  it.live("lets two sidecars write side by side", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      const one = yield* openStore(filename)
      const two = yield* openStore(filename)
      yield* Effect.all(
        [one, two].map((store, n) =>
          Effect.forEach(Array.from({ length: 50 }), (_, i) => store.commit(head({ id: name(n) }), [said(String(i))]))
        ),
        { concurrency: "unbounded" }
      )
      for (const n of [0, 1]) assert.lengthOf((yield* one.load(name(n)))?.history ?? [], 50)
      assert.lengthOf(yield* two.list({ limit: 50 }), 2)
    })
  )

  it.effect("leaves out what it cannot read, says so, and gives the rest", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      const store = yield* openStore(filename)
      yield* store.commit(head(), ["a", "b", "c"].map(said))
      tamper(filename, `UPDATE entries SET json = '{"kind":"other"}' WHERE id = 2`)
      const log = errorLog()
      const stored = yield* store.load(id).pipe(Effect.provide(log.layer))
      assert.deepStrictEqual(stored?.history, ["a", "c"].map(said))
      assert.deepStrictEqual(log.lines, [`1 unreadable entries of session ${id} were left out`])
      tamper(filename, `UPDATE sessions SET loaded_skills = 'x'`)
      const error = yield* Effect.flip(store.load(id))
      assert.include(error.message, `read session ${id}: its row is unreadable`)
    })
  )

  describe("with a turn left behind", () => {
    it.effect.each(["running", "awaiting_approval"] as const)("marks it as interrupted where it was %s", (status) =>
      Effect.gen(function* () {
        const filename = yield* temporaryDatabase
        const store = yield* openStore(filename)
        yield* store.commit(head({ status, turnCount: 1 }), [said("x")])
        tamper(filename, `UPDATE sessions SET owner_started = 'an earlier process'`)
        const expected = head({
          status: "cancelled",
          turnCount: 1,
          lastError: "The turn was interrupted: the process that ran it ended before the turn did."
        })
        assert.deepStrictEqual(yield* store.load(id), { head: expected, history: [said("x")] })
        const database = new DatabaseSync(filename)
        assert.strictEqual(database.prepare("SELECT status FROM sessions").get()?.["status"], "cancelled")
        database.close()
      })
    )

    it.effect("shows it so in the list too", () =>
      Effect.gen(function* () {
        const filename = yield* temporaryDatabase
        const store = yield* openStore(filename)
        yield* store.create(head({ status: "running" }))
        yield* store.create(head({ id: name(2), status: "running" }))
        tamper(filename, `UPDATE sessions SET owner_started = 'an earlier process' WHERE id = '${id}'`)
        const listed = yield* store.list({ limit: 50 })
        assert.deepStrictEqual(Object.fromEntries(listed.map((each) => [each.id, each.status])), {
          [id]: "cancelled",
          [name(2)]: "running"
        })
      })
    )

    it.effect("leaves one alone whose process lives, and one that ended by itself", () =>
      Effect.gen(function* () {
        const filename = yield* temporaryDatabase
        const store = yield* openStore(filename)
        yield* store.create(head({ status: "running" }))
        yield* store.create(head({ id: name(2), status: "failed", lastError: "its own" }))
        tamper(filename, `UPDATE sessions SET owner_started = 'an earlier process' WHERE id = 's-2'`)
        const other = yield* openStore(filename)
        assert.strictEqual((yield* other.load(id))?.head.status, "running")
        assert.strictEqual((yield* other.load(name(2)))?.head.lastError, "its own")
      })
    )
  })

  describe("that cannot be on disk", () => {
    it.effect("goes on in memory where the database cannot be opened, and says so", () =>
      Effect.gen(function* () {
        const log = errorLog()
        const store = yield* openStore("/dev/null/sidecar.sqlite").pipe(Effect.provide(log.layer))
        yield* store.commit(head(), [said("x")])
        assert.deepStrictEqual(yield* store.load(id), { head: head(), history: [said("x")] })
        assert.lengthOf(log.lines, 1)
        assert.include(log.lines[0], "make /dev/null/sidecar.sqlite: ")
        assert.include(log.lines[0], "sessions are kept in memory, and lost when the process ends")
      })
    )

    it.effect("is a reason not to start only where a newer program wrote the database", () =>
      Effect.gen(function* () {
        const filename = yield* temporaryDatabase
        fs.mkdirSync(path.dirname(filename))
        tamper(filename, "PRAGMA user_version = 99")
        assert.strictEqual((yield* Effect.flip(openStore(filename)))._tag, "NewerDatabase")
      })
    )
  })

  it.effect("lies in the state directory", () =>
    Effect.gen(function* () {
      const stateDir = path.dirname(yield* temporaryDatabase)
      yield* Layer.build(SessionStore.layer.pipe(Layer.provide(Config.layerOf({ stateDir }))))
      assert.include(fs.readdirSync(stateDir), "sidecar.sqlite")
    })
  )

  it.effect("is apart from every other one in memory", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* inMemory, yield* inMemory]
      yield* one.create(head())
      assert.isNull(yield* two.load(id))
    })
  )
})
