import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { buildSync } from "esbuild"
import type { Entry } from "../../src/domain/Transcript.ts"
import { SessionId } from "../../src/protocol/Ids.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { head, id } from "./sessions.ts"
import { temporaryDatabase } from "./stateDir.ts"
import { writeVersionOne } from "./versionOne.ts"

const copy = SessionId.make("s-copy")

const openStore = (filename: string) =>
  Effect.map(Layer.build(Layer.fresh(SessionStore.layerFile(filename))), Context.get(SessionStore))

const tamper = (filename: string, sql: string) => {
  const database = new DatabaseSync(filename)
  database.exec(sql)
  database.close()
}

const user = (turn: number, at = turn): Entry => ({ kind: "user", at, turnId: `t-${turn}`, text: `message ${turn}` })
const reply = (turn: number, at = turn): Entry => ({ kind: "assistant_reply", at, turnId: `t-${turn}`, text: "so" })
const notice = (turn: number): Entry => ({ kind: "notice", at: turn, turnId: `t-${turn}`, text: "skills" })
const skill = (name: string, loadedAt: number) => ({ name, version: "1.0.0", loadedAt })

const ends = [
  head({ turnCount: 1, stepCount: 2, status: "completed", loadedSkills: [skill("a", 1)], updatedAt: 10 }),
  head({ turnCount: 2, stepCount: 5, status: "failed", lastError: "no model", updatedAt: 20 }),
  head({
    turnCount: 3,
    stepCount: 6,
    loadedSkills: [skill("b", 2), skill("a", 3)],
    contextUsage: { usedTokens: 5, windowTokens: 9 },
    updatedAt: 30
  })
]

/** Three turns, as they are committed. */
const play = Effect.fnUntraced(function* (store: SessionStore["Service"], metadata = {}) {
  yield* store.create(head({ metadata }))
  for (const [index, end] of ends.entries()) {
    const turn = index + 1
    yield* store.commit({ ...end, status: "running" }, [notice(turn), user(turn)])
    yield* store.commit(end, [reply(turn)])
  }
})

const entriesOf = (...turns: ReadonlyArray<number>) => turns.flatMap((turn) => [notice(turn), user(turn), reply(turn)])

const fork = (store: SessionStore["Service"], upTo?: string) => store.fork({ from: id, to: copy, upTo, at: 99 })

describe("a fork of a session", () => {
  it.effect("is a session of its own, with the head and the whole history, notices too", () =>
    Effect.gen(function* () {
      const store = yield* openStore(yield* temporaryDatabase)
      yield* play(store, { window: 1 })
      yield* store.update(id, { title: "Ours" })
      assert.strictEqual(yield* fork(store), "forked")
      const source = yield* store.load(id)
      const forked = yield* store.load(copy)
      assert.deepStrictEqual(forked, {
        head: { ...ends[2]!, id: copy, updatedAt: 99, title: "Ours", metadata: { window: 1 } },
        history: entriesOf(1, 2, 3)
      })
      assert.deepStrictEqual(source?.history, forked?.history)
      assert.deepStrictEqual(
        (yield* store.list({ limit: 9 })).map((each) => [each.id, each.firstMessage, each.title]),
        [
          [copy, "message 1", "Ours"],
          [id, "message 1", "Ours"]
        ]
      )
      yield* store.commit({ ...ends[2]!, id: copy, turnCount: 4 }, [user(4)])
      yield* store.remove(id)
      assert.deepStrictEqual((yield* store.load(copy))?.history, [...entriesOf(1, 2, 3), user(4)])
    })
  )

  it.effect.each([1, 2, 3])("is what the session was at the end of turn %s, forks of forks too", (turn) =>
    Effect.gen(function* () {
      const store = yield* openStore(yield* temporaryDatabase)
      yield* play(store)
      const expected = { ...ends[turn - 1]!, updatedAt: 99 }
      assert.strictEqual(yield* fork(store, `t-${turn}`), "forked")
      const history = entriesOf(...[1, 2, 3].slice(0, turn))
      assert.deepStrictEqual(yield* store.load(copy), { head: { ...expected, id: copy }, history })
      const again = SessionId.make("s-again")
      yield* store.commit(head({ id: copy, turnCount: turn + 1, status: "running" }), [user(4)])
      assert.strictEqual(yield* store.fork({ from: copy, to: again, at: 99 }), "forked")
      assert.deepStrictEqual(yield* store.load(again), { head: { ...expected, id: again }, history })
    })
  )

  it.effect("takes what stands between two turns with the one before, whatever turn it names", () =>
    Effect.gen(function* () {
      const store = yield* openStore(yield* temporaryDatabase)
      yield* store.commit(ends[1]!, [user(1), reply(1), user(2), reply(2), notice(1)])
      yield* store.commit(ends[2]!, [user(3)])
      assert.strictEqual(yield* fork(store, "t-2"), "forked")
      assert.deepStrictEqual((yield* store.load(copy))?.history, [user(1), reply(1), user(2), reply(2), notice(1)])
    })
  )

  it.effect("goes up to the last turn that has ended while another one runs", () =>
    Effect.gen(function* () {
      const store = yield* openStore(yield* temporaryDatabase)
      yield* play(store)
      yield* store.commit({ ...ends[2]!, turnCount: 4, stepCount: 7, status: "running" }, [user(4)])
      assert.strictEqual(yield* fork(store, "t-4"), "not ended")
      assert.isNull(yield* store.load(copy))
      assert.strictEqual(yield* fork(store), "forked")
      assert.deepStrictEqual(yield* store.load(copy), {
        head: { ...ends[2]!, id: copy, updatedAt: 99 },
        history: entriesOf(1, 2, 3)
      })
    })
  )

  it.effect("is empty where no turn has ended", () =>
    Effect.gen(function* () {
      const store = yield* openStore(yield* temporaryDatabase)
      yield* store.commit(head({ turnCount: 1, stepCount: 1, status: "running" }), [user(1)])
      assert.strictEqual(yield* fork(store), "forked")
      assert.deepStrictEqual(yield* store.load(copy), { head: head({ id: copy, updatedAt: 99 }), history: [] })
      const listed = (yield* store.list({ limit: 2 })).find((each) => each.id === copy)
      assert.strictEqual(listed?.firstMessage, "")
    })
  )

  it.effect("has the turn that was interrupted with its process, as it is shown", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      const store = yield* openStore(filename)
      yield* play(store)
      yield* store.commit({ ...ends[2]!, turnCount: 4, status: "running" }, [user(4)])
      tamper(filename, "UPDATE sessions SET owner_started = 'an earlier process'")
      assert.strictEqual(yield* fork(store, "t-4"), "forked")
      const forked = (yield* store.load(copy))?.head
      assert.deepInclude(forked, { status: "cancelled", turnCount: 4 })
      assert.include(forked?.lastError, "interrupted")
      yield* store.commit({ ...ends[2]!, turnCount: 5 }, [user(5), reply(5)])
      const later = SessionId.make("s-later")
      yield* store.fork({ from: id, to: later, upTo: "t-4", at: 99 })
      assert.deepStrictEqual((yield* store.load(later))?.head, { ...forked!, id: later })
    })
  )

  it.effect("names what there is not", () =>
    Effect.gen(function* () {
      const store = yield* openStore(yield* temporaryDatabase)
      assert.strictEqual(yield* fork(store), "no session")
      yield* play(store)
      assert.strictEqual(yield* fork(store, "t-9"), "no turn")
      assert.lengthOf(yield* store.list({ limit: 9 }), 1)
    })
  )

  it.effect("copies around entries that cannot be read", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      const store = yield* openStore(filename)
      yield* play(store)
      tamper(filename, "UPDATE entries SET json = '{broken' WHERE id IN (3, 7)")
      assert.strictEqual(yield* fork(store, "t-2"), "forked")
      assert.deepStrictEqual((yield* store.load(copy))?.history, [notice(1), user(1), ...entriesOf(2)])
    })
  )

  it.live(
    "is there whole or not at all when its process is killed, after whichever statement",
    () =>
      Effect.gen(function* () {
        const filename = yield* temporaryDatabase
        yield* Effect.scoped(Effect.flatMap(openStore(filename), (store) => play(store, { a: 1 })))
        const forker = path.join(path.dirname(path.dirname(filename)), "forker.mjs")
        buildSync({
          entryPoints: [fileURLToPath(new URL("forker.ts", import.meta.url))],
          bundle: true,
          platform: "node",
          format: "esm",
          outfile: forker
        })
        const found: Array<string> = []
        for (let killAfter = 1; found.at(-1) !== "forked"; killAfter++) {
          const to = `s-${killAfter}`
          const child = spawnSync(process.execPath, [forker, filename, id, to, String(killAfter)], { encoding: "utf8" })
          assert.include(child.stdout === "forked" ? [null] : ["SIGKILL"], child.signal, child.stderr)
          const database = new DatabaseSync(filename)
          const count = (table: string) =>
            database.prepare(`SELECT count(*) AS n FROM ${table} WHERE session_id = ?`).get(to)?.["n"]
          const has = [count("entries"), count("session_metadata"), count("turn_ends")]
          database.close()
          const stored = yield* Effect.scoped(
            Effect.flatMap(openStore(filename), (store) => store.load(SessionId.make(to)))
          )
          assert.deepStrictEqual(has, stored === null ? [0, 0, 0] : [9, 1, 3])
          found.push(child.stdout === "forked" ? "forked" : stored === null ? "none" : "whole")
        }
        assert.deepStrictEqual(new Set(found.slice(0, -2)), new Set(["none"]))
        assert.deepStrictEqual(found.slice(-2), ["whole", "forked"])
        assert.isAtLeast(found.length, 8)
      }),
    60_000
  )
})

describe("a database of the first version", () => {
  const call = (turn: number, tool: string, at: number): ReadonlyArray<Entry> => [
    { kind: "assistant_tool_call", at, turnId: `t-${turn}`, callId: `c-${at}`, tool, args: {} },
    {
      kind: "tool_result",
      at: at + 1,
      turnId: `t-${turn}`,
      callId: `c-${at}`,
      tool,
      status: "ok",
      summary: "done",
      truncated: false
    }
  ]
  const history: ReadonlyArray<Entry> = [
    user(1, 1),
    ...call(1, "fs.list", 2),
    reply(1, 4),
    user(2, 10),
    ...call(2, "fs.list", 11),
    ...call(2, "finish", 13),
    reply(2, 15),
    user(3, 20),
    { kind: "assistant_reply", at: 21, turnId: "t-3", text: "cut", interrupted: true },
    user(4, 30)
  ]
  const old = Effect.gen(function* () {
    const filename = yield* temporaryDatabase
    const loadedSkills = JSON.stringify([skill("a", 3), skill("b", 12)])
    writeVersionOne(filename, { id, turnCount: 4, loadedSkills }, history)
    return yield* openStore(filename)
  })

  it.effect("opens, without titles, and takes some", () =>
    Effect.gen(function* () {
      const store = yield* old
      const stored = yield* store.load(id)
      assert.notProperty(stored?.head, "title")
      assert.deepInclude(stored?.head, { status: "failed", lastError: "why", turnCount: 4, metadata: { a: 1 } })
      assert.deepStrictEqual(stored?.history, history)
      assert.isTrue(yield* store.update(id, { title: "Old" }))
      assert.strictEqual((yield* store.list({ limit: 1 }))[0]?.title, "Old")
      yield* fork(store)
      assert.deepStrictEqual(yield* store.load(copy), {
        head: { ...stored!.head, id: copy, updatedAt: 99, title: "Old" },
        history
      })
    })
  )

  it.effect.each([
    { turn: 1, status: "pending", steps: 2, skills: "a", entries: 4 },
    { turn: 2, status: "completed", steps: 4, skills: "a b", entries: 10 },
    { turn: 3, status: "cancelled", steps: 5, skills: "a b", entries: 12 }
  ] as const)(
    "is forked at turn $turn as far as its entries tell how that ended",
    ({ entries, skills, status, steps, turn }) =>
      Effect.gen(function* () {
        const store = yield* old
        assert.strictEqual(yield* fork(store, `t-${turn}`), "forked")
        const forked = yield* store.load(copy)
        assert.deepInclude(forked?.head, { status, turnCount: turn, stepCount: steps, lastError: null })
        assert.strictEqual(forked?.head.loadedSkills.map(({ name }) => name).join(" "), skills)
        assert.deepStrictEqual(forked?.history, history.slice(0, entries))
      })
  )
})
