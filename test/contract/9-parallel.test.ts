import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import * as GatedModel from "../../src/testing/GatedModel.ts"
import * as Tool from "../../src/tools/Tool.ts"
import { type Setup, stage } from "../support/Sidecar.ts"

const extensions = ["parallel_sessions", "sessions", "queue", "approval_resolved"]

const parallel = (setup: Setup = {}) => Effect.tap(stage(setup), ({ host }) => host.request("hello", { extensions }))

const eventsOf = (frames: ReadonlyArray<SidecarFrame>, sessionId: string) =>
  frames.flatMap((frame) =>
    frame.kind === "event" && "sessionId" in frame.payload && frame.payload.sessionId === sessionId ? [frame.type] : []
  )

const errorOf = (response: unknown) =>
  (response as { readonly error?: { readonly message: string } }).error?.message ?? assert.fail("no error")

describe("contract 9, parallel_sessions", () => {
  it.effect("leaves the other sessions alone, and plays their turns side by side", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* parallel()
      const [one, two] = [yield* session, yield* session]
      const [first, second] = [
        yield* Effect.forkChild(send(one, "first")),
        yield* Effect.forkChild(send(two, "second"))
      ]
      const [callOne, callTwo] = [yield* model.next, yield* model.next]
      callTwo.answer("2")
      yield* Fiber.join(second)
      assert.include(eventsOf(host.frames, two), "turn_finished")
      assert.notInclude(eventsOf(host.frames, one), "turn_finished")
      callOne.answer("1")
      assert.deepInclude(yield* Fiber.join(first), { reason: "reply", turnCount: 1 })
    })
  )

  it.effect("keeps a session's turns in their own order and queue", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* parallel()
      const [one, two] = [yield* session, yield* session]
      const sent = yield* Effect.forEach(["a", "b"], (text) => Effect.forkChild(send(one, text)))
      const call = yield* model.next
      yield* host.event("turn_queued", ({ payload }) => payload.position === 1)
      const other = yield* Effect.forkChild(send(two, "c"))
      const queued = yield* host.event("turn_queued", ({ payload }) => payload.sessionId === two)
      assert.strictEqual(queued.payload.position, 0)
      ;(yield* model.next).answer("c!")
      yield* Fiber.join(other)
      const list = (yield* host.request("list_queue", { sessionId: one })).payload
      assert.strictEqual((list as { queued: ReadonlyArray<unknown> }).queued.length, 1)
      call.answer("a!")
      ;(yield* model.next).answer("b!")
      yield* Effect.forEach(sent, Fiber.join)
    })
  )

  it.effect("holds up nobody by a question or a slow tool of another session", () =>
    Effect.gen(function* () {
      const release = Deferred.makeUnsafe<void>()
      const slow = Tool.make({
        name: "slow",
        description: "waits",
        parameters: Schema.Struct({}),
        reads: false,
        plan: () => Effect.succeed({ run: Effect.as(Deferred.await(release), { text: "done" }) })
      })
      const { host, model, send, session } = yield* parallel({ tools: [slow] })
      const [asking, waiting, free] = [yield* session, yield* session, yield* session]
      const asked = yield* Effect.forkChild(send(asking, "ask"))
      ;(yield* model.next).finish([GatedModel.toolCall("shell.run", { command: "touch x" })])
      const { payload } = yield* host.event("approval_request", () => true)
      const slowed = yield* Effect.forkChild(send(waiting, "wait"))
      ;(yield* model.next).finish([GatedModel.toolCall("slow")])
      yield* host.event("tool_call_started", ({ payload }) => payload.tool === "slow")
      const sent = yield* Effect.forkChild(send(free, "go"))
      ;(yield* model.next).answer("there")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply" })
      yield* host.request("approval_response", { approvalId: payload.approvalId, approved: false })
      ;(yield* model.next).answer("well")
      yield* Fiber.join(asked)
      yield* Deferred.succeed(release, undefined)
      ;(yield* model.next).answer("at last")
      yield* Fiber.join(slowed)
    })
  )

  it.effect("cancels one session's turns, and no other's", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* parallel()
      const [one, two] = [yield* session, yield* session]
      const first = yield* Effect.forkChild(send(one, "first"))
      yield* model.next
      const second = yield* Effect.forkChild(send(two, "second"))
      const kept = yield* model.next
      assert.deepStrictEqual((yield* host.request("cancel", { sessionId: one })).payload, { cancelled: true, turns: 1 })
      assert.deepInclude(yield* Fiber.join(first), { reason: "cancelled" })
      kept.answer("still here")
      assert.deepInclude(yield* Fiber.join(second), { reason: "reply" })
    })
  )

  it.effect("ends one session by close_session, whose turns are answered first", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* parallel()
      const [one, two] = [yield* session, yield* session]
      const first = yield* Effect.forkChild(send(one, "first"))
      yield* model.next
      const queued = yield* Effect.forkChild(send(one, "queued"))
      yield* host.event("turn_queued", ({ payload }) => payload.position === 1)
      assert.deepStrictEqual((yield* host.request("close_session", { sessionId: one })).payload, { closed: true })
      assert.deepInclude(yield* Fiber.join(first), { reason: "cancelled" })
      assert.deepInclude(yield* Fiber.join(queued), { reason: "cancelled" })
      assert.deepStrictEqual((yield* host.request("close_session", { sessionId: one })).payload, { closed: false })
      assert.include(errorOf(yield* host.post("send_message", { sessionId: one, text: "late" })), "no active session")
      const sent = yield* Effect.forkChild(send(two, "second"))
      ;(yield* model.next).answer("here")
      yield* Fiber.join(sent)
    })
  )

  it.effect("resumes a closed session with what its last turn left, and refuses one that is open", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* parallel()
      const one = yield* session
      const sent = yield* Effect.forkChild(send(one, "cut off"))
      const call = yield* model.next
      call.say("half")
      yield* call.taken
      assert.strictEqual(errorOf(yield* host.post("resume_session", { sessionId: one })), `session ${one} is open`)
      const closing = yield* Effect.forkChild(host.request("close_session", { sessionId: one }))
      const resuming = yield* Effect.forkChild(host.request("resume_session", { sessionId: one }))
      yield* Fiber.join(closing)
      assert.isTrue((yield* Fiber.join(resuming)).ok)
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      const again = yield* Effect.forkChild(send(one, "go on"))
      const next = yield* model.next
      assert.deepStrictEqual(
        next.request.history.map((entry) => entry.kind),
        ["user", "assistant_reply", "user"]
      )
      next.answer("on")
      assert.deepInclude(yield* Fiber.join(again), { reason: "reply", turnCount: 2 })
    })
  )

  it.effect("deletes no open session, and a closed one for good", () =>
    Effect.gen(function* () {
      const { host, session } = yield* parallel()
      const [one, two] = [yield* session, yield* session]
      assert.include(errorOf(yield* host.post("delete_session", { sessionId: one })), "cannot be deleted")
      yield* host.request("close_session", { sessionId: one })
      assert.deepStrictEqual((yield* host.request("delete_session", { sessionId: one })).payload, { deleted: true })
      assert.include(errorOf(yield* host.post("resume_session", { sessionId: one })), "no stored session")
      assert.isNotNull((yield* host.request("get_session", { sessionId: two })).payload)
    })
  )

  it.effect("opens sixteen, refuses the seventeenth, and ends nobody for it", () =>
    Effect.gen(function* () {
      const { host, session } = yield* parallel()
      const ids = yield* Effect.all(Array.from({ length: 16 }, () => session))
      const refused = errorOf(yield* host.post("start_session", { workingDir: "." }))
      assert.include(refused, "expected at most 16 open sessions")
      for (const sessionId of ids) {
        assert.isTrue((yield* host.request("list_queue", { sessionId })).ok)
      }
      yield* host.request("close_session", { sessionId: ids[3] ?? "" })
      yield* session
    })
  )

  it.effect("counts sessions that are being opened at the same time", () =>
    Effect.gen(function* () {
      const { host } = yield* parallel()
      const started = yield* Effect.all(
        Array.from({ length: 20 }, () => host.post("start_session", { workingDir: "." })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(started.filter(({ ok }) => ok).length, 16)
    })
  )

  it.effect("goes back to one session when the extension is given up: the next start ends all", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* parallel()
      const [one, two] = [yield* session, yield* session]
      const sent = yield* Effect.forkChild(send(one, "first"))
      yield* model.next
      yield* host.request("hello", { extensions: [] })
      yield* session
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      assert.include(errorOf(yield* host.post("send_message", { sessionId: two, text: "hi" })), "no active session")
    })
  )

  it.effect("ends all sessions at the shutdown", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* parallel()
      const ids = [yield* session, yield* session, yield* session]
      const sent = yield* Effect.forEach(ids, (id) => Effect.tap(Effect.forkChild(send(id, "hi")), () => model.next))
      const down = yield* Effect.forkChild(host.request("shutdown", {}))
      const ended = yield* Effect.forEach(sent, Fiber.join)
      for (const each of ended) assert.deepInclude(each, { reason: "cancelled" })
      assert.isTrue((yield* Fiber.join(down)).ok)
    })
  )

  it.effect("probes the model once for all sessions, not once for each", () =>
    Effect.gen(function* () {
      const { host, session } = yield* parallel()
      yield* host.request("hello", { extensions: [...extensions, "llm_state"] })
      yield* Effect.all([session, session, session])
      yield* TestClock.adjust(10_000)
      assert.strictEqual(host.frames.filter((frame) => frame.kind === "event" && frame.type === "llm_state").length, 3)
    })
  )
})
