import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SessionId } from "../../src/protocol/Ids.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { said } from "./sessions.ts"
import { temporaryDatabase } from "./stateDir.ts"
import { bundleWriter, write } from "./writers.ts"

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => said(String(from + n)))

const integrity = (filename: string) => {
  const database = new DatabaseSync(filename)
  const found = database.prepare("PRAGMA integrity_check").all()
  database.close()
  return found.map((row) => row["integrity_check"])
}

const openStore = (filename: string) =>
  Effect.map(Layer.build(Layer.fresh(SessionStore.layerFile(filename))), Context.get(SessionStore))

describe("several processes on one database", () => {
  it.live(
    "all write all they have, from the very first start on",
    () =>
      Effect.gen(function* () {
        const filename = yield* temporaryDatabase
        const writer = bundleWriter(filename)
        const sessions = ["s-1", "s-2", "s-3", "s-4"].map((name) => SessionId.make(name))
        const written = yield* Effect.promise(() =>
          Promise.all(sessions.map((session) => write({ writer, filename, session, first: 0, count: 150 })))
        )
        for (const { code, stderr } of written) assert.deepStrictEqual([code, stderr], [0, ""])
        assert.deepStrictEqual(integrity(filename), ["ok"])
        const store = yield* openStore(filename)
        for (const session of sessions) {
          assert.deepStrictEqual((yield* store.load(session))?.history, numbered(0, 150))
        }
      }),
    120_000
  )
})

describe("a process that is killed while it commits", () => {
  it.live(
    "leaves a sound database that has all it acknowledged, at 20 moments",
    () =>
      Effect.gen(function* () {
        const filename = yield* temporaryDatabase
        const writer = bundleWriter(filename)
        const session = SessionId.make("s-1")
        let committed = 0
        for (let round = 0; round < 20; round++) {
          const killAfter = 1 + ((round * 37) % 150)
          const { acknowledged, code, stderr } = yield* Effect.promise(() =>
            write({ writer, filename, session, first: committed, count: 100_000, killAfter })
          )
          assert.deepStrictEqual([code, stderr], [null, ""])
          const reached = (acknowledged.at(-1) ?? -1) + 1
          assert.isAtLeast(reached, committed + killAfter)
          assert.deepStrictEqual(integrity(filename), ["ok"])
          const stored = yield* Effect.scoped(Effect.flatMap(openStore(filename), (store) => store.load(session)))
          committed = stored?.history.length ?? 0
          assert.isAtLeast(committed, reached)
          assert.deepStrictEqual(stored?.history, numbered(0, committed))
          assert.strictEqual(stored?.head.status, "cancelled")
          assert.include(stored?.head.lastError, "interrupted")
        }
      }),
    240_000
  )
})
