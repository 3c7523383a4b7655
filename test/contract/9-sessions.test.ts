import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { SidecarResponse } from "../../src/protocol/Frame.ts"
import type { ForkSessionResult, GetSessionResult, ListSessionsResult } from "../../src/protocol/Request.ts"
import type { SessionState } from "../../src/protocol/SessionState.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { type Setup, type Stage, stage } from "../support/Sidecar.ts"

const granted = (setup: Setup = {}, extensions = ["sessions"]) =>
  Effect.tap(stage(setup), ({ host }) => host.request("hello", { extensions }))

const errorOf = (response: SidecarResponse) => (response.ok ? assert.fail("no error") : response.error.message)

const stateOf = ({ host }: Stage, sessionId: string, afterTurn?: unknown) =>
  Effect.map(host.post("get_session", { sessionId, ...(afterTurn === undefined ? {} : { afterTurn }) }), (response) => {
    assert.isTrue(response.ok, JSON.stringify(response))
    return (response.payload as GetSessionResult) ?? assert.fail("no session")
  })

const update = ({ host }: Stage, payload: { sessionId: string; title?: unknown; metadata?: unknown }) =>
  Effect.map(host.post("update_session", payload), ({ payload }) => payload)

const fork = ({ host }: Stage, sessionId: string, turnId?: string) =>
  Effect.map(host.post("fork_session", { sessionId, ...(turnId === undefined ? {} : { turnId }) }), (response) => {
    assert.isTrue(response.ok, JSON.stringify(response))
    return (response.payload as ForkSessionResult).sessionId
  })

/** Plays a turn that answers with `so, ` and the message. */
const play = Effect.fnUntraced(function* ({ model, send }: Stage, sessionId: string, text: string) {
  const sent = yield* Effect.forkChild(send(sessionId, text))
  const call = yield* model.next
  call.answer(`so, ${text}`)
  assert.deepInclude(yield* Fiber.join(sent), { reason: "reply" })
  return call.request
})

const textsOf = ({ turns }: SessionState) => turns.map((record) => ("text" in record ? record.text : record.kind))

const turnsOf = ({ turns }: SessionState) => [...new Set(turns.map(({ turnId }) => turnId))]

describe("contract 9, sessions: update_session", () => {
  it.effect("gives an open session a title and other metadata, which its turns do not undo", () =>
    Effect.gen(function* () {
      const each = yield* granted()
      const sessionId = yield* each.session
      assert.notProperty(yield* stateOf(each, sessionId), "title")
      const sent = yield* Effect.forkChild(each.send(sessionId, "hi"))
      const call = yield* each.model.next
      assert.deepStrictEqual(yield* update(each, { sessionId, title: "Ours", metadata: { pinned: true } }), {
        updated: true
      })
      assert.deepInclude(yield* stateOf(each, sessionId), { title: "Ours", metadata: { pinned: true } })
      call.answer("hello")
      yield* Fiber.join(sent)
      yield* play(each, sessionId, "again")
      const expected = { title: "Ours", metadata: { pinned: true }, turnCount: 2 }
      assert.deepInclude(yield* stateOf(each, sessionId), expected)
      yield* each.session
      assert.deepInclude(yield* stateOf(each, sessionId), expected)
      const { sessions } = (yield* each.host.request("list_sessions")).payload as ListSessionsResult
      assert.deepStrictEqual(
        sessions.map(({ title }) => title),
        [undefined, "Ours"]
      )
    })
  )

  it.effect("changes a stored session, which stays where it is in the list", () =>
    Effect.gen(function* () {
      const each = yield* granted()
      const old = yield* each.session
      yield* TestClock.adjust(10)
      const newer = yield* each.session
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(yield* update(each, { sessionId: old, title: "Old" }), { updated: true })
      const { sessions } = (yield* each.host.request("list_sessions")).payload as ListSessionsResult
      assert.deepStrictEqual(
        sessions.map(({ id, title }) => [id, title]),
        [
          [newer, undefined],
          [old, "Old"]
        ]
      )
      yield* each.host.request("resume_session", { sessionId: old })
      assert.deepInclude(yield* stateOf(each, old), { title: "Old" })
    })
  )

  it.effect("keeps what is left out or null, and removes a title by a blank one", () =>
    Effect.gen(function* () {
      const each = yield* granted()
      const sessionId = yield* each.session
      yield* update(each, { sessionId, title: "Ours", metadata: { a: 1 } })
      yield* update(each, { sessionId, title: null, metadata: { b: 2 } })
      yield* update(each, { sessionId, metadata: null })
      assert.deepInclude(yield* stateOf(each, sessionId), { title: "Ours", metadata: { b: 2 } })
      yield* update(each, { sessionId, title: "half \ud800" })
      assert.deepInclude(yield* stateOf(each, sessionId), { title: "half \ufffd", metadata: { b: 2 } })
      assert.deepStrictEqual(yield* update(each, { sessionId, title: " " }), { updated: true })
      assert.notProperty(yield* stateOf(each, sessionId), "title")
      yield* each.session
      assert.notProperty(yield* stateOf(each, sessionId), "title")
    })
  )

  it.effect("knows no session that is not there, and takes no title of more than 1,000 characters", () =>
    Effect.gen(function* () {
      const each = yield* granted()
      const sessionId = yield* each.session
      assert.deepStrictEqual(yield* update(each, { sessionId: "s-none", title: "x", metadata: {} }), { updated: false })
      assert.deepStrictEqual(yield* update(each, { sessionId, title: "x".repeat(1000) }), { updated: true })
      const refused = yield* each.host.post("update_session", { sessionId, title: "y".repeat(1001) })
      assert.match(errorOf(refused), /^payload\.title: expected a string of at most 1000 characters, got /)
      assert.strictEqual((yield* stateOf(each, sessionId)).title, "x".repeat(1000))
    })
  )
})

describe("contract 9, a host that was not granted sessions", () => {
  it.effect("sees no title, and its afterTurn is a key that nobody knows", () =>
    Effect.gen(function* () {
      const each = yield* granted()
      const sessionId = yield* each.session
      yield* play(each, sessionId, "hi")
      const before = yield* each.host.request("get_session", { sessionId })
      yield* update(each, { sessionId, title: "Ours" })
      yield* each.host.request("hello", { extensions: ["parallel_sessions"] })
      for (const afterTurn of ["t-none", 5, null, { a: 1 }]) {
        const after = yield* each.host.post("get_session", { sessionId, afterTurn })
        assert.strictEqual(JSON.stringify(after.payload), JSON.stringify(before.payload))
      }
    })
  )
})

describe("contract 9, sessions: fork_session", () => {
  it.effect("makes a stored session with all turns, whose prompt is the source's", () =>
    Effect.gen(function* () {
      const each = yield* granted()
      const source = yield* each.session
      yield* play(each, source, "one")
      yield* play(each, source, "two")
      yield* update(each, { sessionId: source, title: "Ours", metadata: { a: 1 } })
      const day = 24 * 3_600_000
      yield* TestClock.adjust(day)
      const copy = yield* fork(each, source)
      const [ours, theirs] = [yield* stateOf(each, source), yield* stateOf(each, copy)]
      assert.deepStrictEqual(theirs, { ...ours, id: copy, updatedAt: day })
      const next = yield* play(each, source, "three")
      yield* each.host.request("resume_session", { sessionId: copy })
      const forked = yield* play(each, copy, "three")
      assert.strictEqual(forked.system, next.system)
      assert.deepStrictEqual(forked.history.slice(0, 4), next.history.slice(0, 4))
      assert.deepInclude(yield* stateOf(each, copy), { turnCount: 3, stepCount: 3, title: "Ours" })
      assert.deepStrictEqual(textsOf(yield* stateOf(each, source)), textsOf(yield* stateOf(each, copy)))
    })
  )

  it.effect("goes back to a turn, with the counts of then", () =>
    Effect.gen(function* () {
      const each = yield* granted()
      const source = yield* each.session
      for (const text of ["one", "two", "three"]) yield* play(each, source, text)
      const [first = ""] = turnsOf(yield* stateOf(each, source))
      const copy = yield* fork(each, source, first)
      assert.deepInclude(yield* stateOf(each, copy), { turnCount: 1, stepCount: 1, status: "pending" })
      assert.deepStrictEqual(textsOf(yield* stateOf(each, copy)), ["one", "so, one"])
      yield* each.host.request("resume_session", { sessionId: copy })
      yield* play(each, copy, "another two")
      assert.deepInclude(yield* stateOf(each, copy), { turnCount: 2, stepCount: 2 })
      assert.deepInclude(yield* stateOf(each, source), { turnCount: 3 })
    })
  )

  it.effect("of a session whose turn runs goes up to the last turn that has ended", () =>
    Effect.gen(function* () {
      const each = yield* granted()
      const source = yield* each.session
      yield* play(each, source, "one")
      const sent = yield* Effect.forkChild(each.send(source, "two"))
      const call = yield* each.model.next
      const [, running = ""] = turnsOf(yield* stateOf(each, source))
      const refused = yield* each.host.post("fork_session", { sessionId: source, turnId: running })
      assert.strictEqual(errorOf(refused), `turn ${running} of session ${source} has not ended`)
      const copy = yield* fork(each, source)
      assert.deepStrictEqual(textsOf(yield* stateOf(each, copy)), ["one", "so, one"])
      assert.deepInclude(yield* stateOf(each, copy), { status: "pending", turnCount: 1, stepCount: 1 })
      call.answer("there")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply", turnCount: 2 })
      assert.strictEqual((yield* stateOf(each, yield* fork(each, source, running))).turnCount, 2)
    })
  )

  it.effect("names a session or a turn that is not there", () =>
    Effect.gen(function* () {
      const each = yield* granted()
      const sessionId = yield* each.session
      assert.strictEqual(
        errorOf(yield* each.host.post("fork_session", { sessionId: "s-none" })),
        "no session with id s-none"
      )
      assert.strictEqual(
        errorOf(yield* each.host.post("fork_session", { sessionId, turnId: "t-none" })),
        `no turn with id t-none in session ${sessionId}`
      )
      assert.lengthOf(((yield* each.host.request("list_sessions")).payload as ListSessionsResult).sessions, 1)
    })
  )
})

describe("contract 9, sessions: get_session with afterTurn", () => {
  it.effect("returns the records of the later turns only, of an open session and of a stored one", () =>
    Effect.gen(function* () {
      const each = yield* granted()
      const sessionId = yield* each.session
      for (const text of ["one", "two", "three"]) yield* play(each, sessionId, text)
      const all = yield* stateOf(each, sessionId)
      const [first, , third] = turnsOf(all)
      const rounds = Effect.gen(function* () {
        const later = yield* stateOf(each, sessionId, first)
        assert.deepStrictEqual(later, { ...all, turns: all.turns.slice(2) })
        assert.deepStrictEqual((yield* stateOf(each, sessionId, third)).turns, [])
        assert.deepStrictEqual(yield* stateOf(each, sessionId, null), all)
        const refused = yield* each.host.post("get_session", { sessionId, afterTurn: "t-none" })
        assert.strictEqual(errorOf(refused), `no turn with id t-none in session ${sessionId}`)
      })
      yield* rounds
      yield* each.session
      yield* rounds
      assert.isNull((yield* each.host.post("get_session", { sessionId: "s-none", afterTurn: "t-none" })).payload)
    })
  )
})

describe("contract 9, sessions: requests about one session that cross", () => {
  /** A store that holds one operation up until it is let go. */
  const gated = (member: "update" | "fork") => {
    const reached = Deferred.makeUnsafe<void>()
    const gate = Deferred.makeUnsafe<void>()
    const held = <A, E>(effect: Effect.Effect<A, E>) =>
      Deferred.succeed(reached, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.andThen(effect))
    const store = Layer.effect(
      SessionStore,
      Effect.map(SessionStore, (store) =>
        SessionStore.of({
          ...store,
          ...(member === "update" && { update: (id, change) => held(store.update(id, change)) }),
          ...(member === "fork" && { fork: (fork) => held(store.fork(fork)) })
        })
      )
    ).pipe(Layer.provide(SessionStore.layerMemory))
    return { store, reached: Deferred.await(reached), release: Deferred.succeed(gate, undefined) }
  }

  const modes = [["sessions"], ["sessions", "parallel_sessions"]] as const

  it.effect.each(modes.map((extensions) => ({ extensions })))(
    "are carried out in their order: fork, then end and delete ($extensions)",
    ({ extensions }) =>
      Effect.gen(function* () {
        const { reached, release, store } = gated("fork")
        const each = yield* granted({ store }, [...extensions])
        const source = yield* each.session
        yield* play(each, source, "one")
        const forking = yield* Effect.forkChild(fork(each, source))
        yield* reached
        const isParallel = extensions.length > 1
        const ending = isParallel
          ? each.host.post("close_session", { sessionId: source })
          : each.host.post("start_session", { workingDir: "." })
        const deleting = each.host.post("delete_session", { sessionId: source })
        const pinged = yield* each.host.request("ping")
        assert.strictEqual(each.host.frames.at(-1), pinged)
        yield* release
        const copy = yield* Fiber.join(forking)
        assert.isTrue((yield* ending).ok)
        assert.deepStrictEqual((yield* deleting).payload, { deleted: true })
        assert.deepStrictEqual(textsOf(yield* stateOf(each, copy)), ["one", "so, one"])
      })
  )

  it.effect.each(modes.map((extensions) => ({ extensions })))(
    "are carried out in their order: update, then end and resume ($extensions)",
    ({ extensions }) =>
      Effect.gen(function* () {
        const { reached, release, store } = gated("update")
        const each = yield* granted({ store }, [...extensions])
        const sessionId = yield* each.session
        const updating = yield* Effect.forkChild(update(each, { sessionId, title: "Ours" }))
        yield* reached
        const isParallel = extensions.length > 1
        const closing = isParallel ? each.host.post("close_session", { sessionId }) : each.host.request("ping")
        const resuming = each.host.post("resume_session", { sessionId })
        const pinged = yield* each.host.request("ping")
        assert.strictEqual(each.host.frames.at(-1), pinged)
        yield* release
        assert.deepStrictEqual(yield* Fiber.join(updating), { updated: true })
        yield* closing
        assert.isTrue((yield* resuming).ok)
        assert.deepInclude(yield* stateOf(each, sessionId), { title: "Ours" })
        yield* play(each, sessionId, "one")
        assert.deepInclude(yield* stateOf(each, sessionId), { title: "Ours", turnCount: 1 })
      })
  )
})
