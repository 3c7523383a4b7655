import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { newSession, type SessionHead } from "../../src/domain/Session.ts"
import { type Entry } from "../../src/domain/Transcript.ts"
import { SessionId, TurnId } from "../../src/protocol/Ids.ts"
import { SessionLog } from "../../src/session/SessionLog.ts"
import { SessionStore, StoreError } from "../../src/store/SessionStore.ts"
import { errorLog } from "../store/logs.ts"

const stored = { head: newSession(SessionId.make("s-1"), "/work", {}, 0), history: [] }
const said = (text: string) => ({ kind: "user", turnId: TurnId.make("t-1"), text }) as const

/** A log, what it wrote, and a switch that makes its store fail. */
const setup = Effect.gen(function* () {
  const written: Array<{ readonly head: SessionHead; readonly entries: ReadonlyArray<Entry> }> = []
  const store = { isFull: false, gate: yield* Latch.make(true) }
  const commit = (head: SessionHead, entries: ReadonlyArray<Entry>) =>
    Effect.flatMap(store.gate.await, () => {
      if (store.isFull) return Effect.fail(new StoreError({ doing: "write", why: "the disk is full" }))
      written.push({ head, entries })
      return Effect.void
    })
  const layer = SessionLog.layer(stored).pipe(Layer.provide(Layer.mock(SessionStore)({ commit })))
  const log = yield* Effect.provide(SessionLog, layer)
  return { log, written, store }
})

describe("SessionLog", () => {
  it.effect("writes entries and head in one go, and nothing where there is nothing new", () =>
    Effect.gen(function* () {
      const { log, written } = yield* setup
      yield* log.commit([said("hello")], { status: "running", turnCount: 1 })
      yield* log.commit([])
      yield* log.commit([], { status: "running", lastError: null })
      assert.deepStrictEqual(written, [
        { head: { ...stored.head, status: "running", turnCount: 1 }, entries: [{ ...said("hello"), at: 0 }] }
      ])
    })
  )

  it.effect("writes what was noted with the next commit, whatever that brings", () =>
    Effect.gen(function* () {
      const { log, written } = yield* setup
      log.note({ contextUsage: { usedTokens: 5, windowTokens: 10 } })
      assert.deepStrictEqual(log.state.contextUsage, { usedTokens: 5, windowTokens: 10 })
      assert.lengthOf(written, 0)
      yield* log.commit([], { lastError: null })
      yield* log.commit([], { lastError: null })
      assert.deepStrictEqual(
        written.map(({ head }) => head.contextUsage),
        [{ usedTokens: 5, windowTokens: 10 }]
      )
    })
  )

  it.effect("tells nothing that is not stored yet", () =>
    Effect.gen(function* () {
      const { log, store } = yield* setup
      yield* store.gate.close
      const committing = yield* Effect.forkChild(log.commit([said("hello")], { turnCount: 1 }), {
        startImmediately: true
      })
      log.note({ status: "awaiting_approval" })
      assert.lengthOf(log.history, 1)
      assert.deepStrictEqual(log.state, { ...stored.head, status: "awaiting_approval", turns: [] })
      yield* store.gate.open
      yield* Fiber.join(committing)
      assert.deepStrictEqual(log.state, {
        ...stored.head,
        status: "awaiting_approval",
        turnCount: 1,
        turns: [{ ...said("hello"), at: 0 }]
      })
    })
  )

  it.effect("goes on in memory where it cannot write, says so once, and tries with each commit", () =>
    Effect.gen(function* () {
      const { log: sessionLog, store, written } = yield* setup
      const log = errorLog()
      store.isFull = true
      yield* sessionLog.commit([said("one")], { turnCount: 1 }).pipe(Effect.provide(log.layer))
      yield* sessionLog.commit([said("two")]).pipe(Effect.provide(log.layer))
      assert.deepStrictEqual(sessionLog.history, [
        { ...said("one"), at: 0 },
        { ...said("two"), at: 0 }
      ])
      assert.lengthOf(log.lines, 1)
      assert.match(log.lines[0] ?? "", /^the session cannot be stored and goes on in memory/)
      store.isFull = false
      yield* sessionLog.commit([], { turnCount: 1 })
      assert.deepStrictEqual(
        written.map(({ head, entries }) => ({ turnCount: head.turnCount, entries })),
        [{ turnCount: 1, entries: [] }]
      )
    })
  )
})
