import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { SessionId } from "../../src/protocol/Ids.ts"
import * as Database from "../../src/store/Database.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { retryingStore } from "../../src/store/RetryingStore.ts"
import { errorLog } from "./logs.ts"
import { head, id, said } from "./sessions.ts"

/** A store that keeps what is refused, the store below it, and the means to make the disk full and empty again. */
const setup = Effect.gen(function* () {
  const context = yield* Layer.build(SessionStore.layerSql.pipe(Layer.provideMerge(Database.layerMemory)))
  const sql = Context.get(context, SqlClient.SqlClient)
  const below = Context.get(context, SessionStore)
  const log = errorLog()
  const [size] = yield* sql<{ page_count: number }>`PRAGMA page_count`
  return {
    below,
    store: yield* retryingStore(below),
    log,
    logged: Effect.provide(log.layer),
    fill: sql.unsafe(`PRAGMA max_page_count = ${size?.page_count}`),
    empty: sql.unsafe(`PRAGMA max_page_count = 1000000`)
  }
})

const large = (n: number) => said(`${n}${"x".repeat(10_000)}`)

describe("RetryingStore", () => {
  it.effect("keeps what a full disk refuses, says so once, and lets it be read", () =>
    Effect.gen(function* () {
      const { store, below, log, logged, fill } = yield* setup
      yield* store.commit(head(), [said("saved")])
      yield* fill
      yield* store.commit(head({ turnCount: 1 }), [large(1)]).pipe(logged)
      yield* store.commit(head({ turnCount: 2 }), [large(2)]).pipe(logged)
      assert.deepStrictEqual(yield* store.load(id), {
        head: head({ turnCount: 2 }),
        history: [said("saved"), large(1), large(2)]
      })
      assert.deepStrictEqual(yield* below.load(id), { head: head(), history: [said("saved")] })
      assert.lengthOf(log.lines, 1)
      assert.match(
        log.lines[0] ?? "",
        /^write to session s-.*: the disk is full \(.*\): the conversation goes on in memory$/
      )
    })
  )

  it.effect("writes all of it, in order, once the disk takes it again", () =>
    Effect.gen(function* () {
      const { store, below, log, logged, fill, empty } = yield* setup
      yield* store.commit(head(), [said("saved")])
      yield* fill
      yield* store.commit(head(), [large(1)]).pipe(logged)
      yield* empty
      yield* store.commit(head(), [large(2)]).pipe(logged)
      assert.deepStrictEqual((yield* below.load(id))?.history, [said("saved")])
      yield* TestClock.adjust("30 seconds")
      yield* store.commit(head({ turnCount: 3 }), [said("after")]).pipe(logged)
      const expected = { head: head({ turnCount: 3 }), history: [said("saved"), large(1), large(2), said("after")] }
      assert.deepStrictEqual(yield* below.load(id), expected)
      assert.deepStrictEqual(yield* store.load(id), expected)
      yield* store.commit(head({ turnCount: 4 }), [said("more")])
      assert.lengthOf((yield* below.load(id))?.history ?? [], 5)
      assert.lengthOf(log.lines, 1)
    })
  )

  it.effect("keeps what a defect of the store keeps from it", () =>
    Effect.gen(function* () {
      const { below, log, logged } = yield* setup
      let isBroken = true
      const store = yield* retryingStore({
        ...below,
        commit: (head, entries) => (isBroken ? Effect.die(new TypeError("a bug")) : below.commit(head, entries))
      })
      yield* store.commit(head({ turnCount: 1 }), [said("one")]).pipe(logged)
      yield* store.commit(head({ turnCount: 1 }), [said("two")]).pipe(logged)
      assert.lengthOf(log.lines, 1)
      assert.match(log.lines[0] ?? "", /^the store died, and the conversation goes on in memory/)
      isBroken = false
      yield* TestClock.adjust("30 seconds")
      yield* store.commit(head({ turnCount: 2 }), [said("three")])
      assert.deepStrictEqual(yield* below.load(id), {
        head: head({ turnCount: 2 }),
        history: [said("one"), said("two"), said("three")]
      })
    })
  )

  it.effect("writes what waits when it is closed, however soon that is", () =>
    Effect.gen(function* () {
      const { below, logged, fill, empty } = yield* setup
      const scope = yield* Scope.make()
      const store = yield* Scope.provide(retryingStore(below), scope)
      yield* store.commit(head(), [said("saved")])
      yield* fill
      yield* store.commit(head({ turnCount: 1 }), [large(1)]).pipe(logged)
      yield* empty
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* below.load(id), {
        head: head({ turnCount: 1 }),
        history: [said("saved"), large(1)]
      })
    })
  )

  it.effect("holds up its closing for a second at most", () =>
    Effect.gen(function* () {
      const { below, logged, fill } = yield* setup
      const scope = yield* Scope.make()
      const gate = yield* Deferred.make<void>()
      let tries = 0
      const store = yield* Scope.provide(
        retryingStore({
          ...below,
          commit: (head, entries) =>
            tries++ === 0
              ? below.commit(head, entries)
              : Deferred.await(gate).pipe(Effect.andThen(below.commit(head, entries)), Effect.uninterruptible)
        }),
        scope
      )
      yield* fill
      yield* store.commit(head(), [large(1)]).pipe(logged)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      assert.strictEqual(tries, 2)
    })
  )

  it.effect("keeps a session that could not even be created, and its metadata", () =>
    Effect.gen(function* () {
      const { store, below, logged, fill, empty } = yield* setup
      const created = head({ metadata: { big: "x".repeat(10_000) } })
      yield* fill
      yield* store.create(created).pipe(logged)
      assert.deepStrictEqual(yield* store.load(id), { head: created, history: [] })
      yield* empty
      yield* TestClock.adjust("30 seconds")
      yield* store.commit(created, [said("x")])
      assert.deepStrictEqual(yield* below.load(id), { head: created, history: [said("x")] })
    })
  )

  it.effect("does not let a commit undo an update of a session that is not stored yet", () =>
    Effect.gen(function* () {
      const { store, below, logged, fill, empty } = yield* setup
      const created = head({ metadata: { big: "x".repeat(10_000) } })
      yield* fill
      yield* store.create(created).pipe(logged)
      assert.isTrue(yield* store.update(id, { title: "Ours", metadata: { a: 1 } }))
      yield* store.commit(created, [said("one")]).pipe(logged)
      yield* empty
      yield* TestClock.adjust("30 seconds")
      yield* store.commit({ ...created, turnCount: 1 }, [said("two")])
      const expected = {
        head: head({ turnCount: 1, title: "Ours", metadata: { a: 1 } }),
        history: ["one", "two"].map(said)
      }
      assert.deepStrictEqual(yield* below.load(id), expected)
      assert.deepStrictEqual(yield* store.load(id), expected)
    })
  )

  it.effect("fails an update that the disk refuses, and keeps it out of what waits", () =>
    Effect.gen(function* () {
      const { store, logged, fill } = yield* setup
      yield* store.commit(head(), [said("saved")])
      yield* fill
      yield* store.commit(head({ turnCount: 1 }), [large(1)]).pipe(logged)
      const error = yield* Effect.flip(store.update(id, { title: "Ours", metadata: { big: "x".repeat(10_000) } }))
      assert.match(error.message, /^update session s-.*: the disk is full/)
      assert.deepStrictEqual((yield* store.load(id))?.head, head({ turnCount: 1 }))
    })
  )

  it.effect("writes what waits before it forks, and does not fork without it", () =>
    Effect.gen(function* () {
      const { store, below, logged, fill, empty } = yield* setup
      const copy = SessionId.make("s-copy")
      const fork = store.fork({ from: id, to: copy, at: 5 })
      yield* fill
      yield* store.commit(head({ turnCount: 1 }), [large(1)]).pipe(logged)
      assert.match((yield* Effect.flip(fork)).message, /^write to session s-.*: the disk is full/)
      yield* empty
      assert.strictEqual(yield* fork, "forked")
      assert.deepStrictEqual((yield* below.load(copy))?.history, [large(1)])
      yield* store.commit(head({ turnCount: 2 }), [said("more")])
      assert.deepStrictEqual((yield* below.load(id))?.history, [large(1), said("more")])
    })
  )

  it.effect("forgets a session that is removed", () =>
    Effect.gen(function* () {
      const { store, logged, fill } = yield* setup
      yield* fill
      yield* store.commit(head(), [large(1)]).pipe(logged)
      assert.isTrue(yield* store.remove(id))
      assert.isNull(yield* store.load(id))
    })
  )

  it.effect("loses nothing when an interrupt hits a commit", () =>
    Effect.gen(function* () {
      const { below } = yield* setup
      const started = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const store = yield* retryingStore({
        ...below,
        commit: (head, entries) =>
          Deferred.succeed(started, undefined).pipe(
            Effect.andThen(Deferred.await(gate)),
            Effect.andThen(below.commit(head, entries))
          )
      })
      const committing = yield* Effect.forkChild(store.commit(head(), [said("x")]))
      yield* Deferred.await(started)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(committing))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(interrupting)
      assert.deepStrictEqual((yield* below.load(id))?.history, [said("x")])
    })
  )

  it.effect("keeps the order of commits that come together", () =>
    Effect.gen(function* () {
      const { store, logged, fill } = yield* setup
      yield* fill
      yield* Effect.forEach([1, 2, 3], (n) => store.commit(head(), [large(n)]), { concurrency: "unbounded" }).pipe(
        logged
      )
      assert.deepStrictEqual((yield* store.load(id))?.history, [1, 2, 3].map(large))
    })
  )
})
