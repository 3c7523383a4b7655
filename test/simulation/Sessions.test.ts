import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { stage } from "../support/Sidecar.ts"
import { settled, stubbornTool } from "./support.ts"

/** A session whose turn takes its time to end, and a start that waits for it. */
const ending = Effect.gen(function* () {
  const stubborn = stubbornTool()
  const on = yield* stage({ tools: [stubborn.tool] })
  yield* on.host.request("hello", { extensions: ["sessions", "queue"] })
  const first = yield* on.session
  const sent = yield* Effect.forkChild(on.send(first, "go"))
  ;(yield* on.model.next).finish([toolCall("stubborn")])
  yield* stubborn.started
  const starting = yield* Effect.forkChild(on.session)
  // The working directory is looked at before the old session ends.
  yield* Effect.repeat(on.host.request("list_queue", { sessionId: first }), { while: (response) => response.ok })
  return { ...on, first, sent, starting, stubborn }
})

describe("a session that is ending", () => {
  it.effect("answers a message that comes meanwhile, and no turn of it plays into the next session", () =>
    Effect.gen(function* () {
      const { first, host, model, send, sent, starting, stubborn } = yield* ending
      const late = send(first, "too late")
      yield* host.request("ping")
      yield* stubborn.release
      const second = yield* Fiber.join(starting)
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      assert.deepInclude(yield* late, { message: `no active session with id ${first}` })
      const next = yield* Effect.forkChild(send(second, "hello"))
      ;(yield* model.next).answer("hi")
      assert.deepInclude(yield* Fiber.join(next), { reason: "reply", turnCount: 1 })
    })
  )

  it.effect("is no longer active for a cancel", () =>
    Effect.gen(function* () {
      const { first, host, starting, stubborn } = yield* ending
      const cancel = yield* host.request("cancel", { sessionId: first })
      assert.deepStrictEqual(cancel.payload, { cancelled: false, turns: 0 })
      yield* stubborn.release
      yield* Fiber.join(starting)
    })
  )

  it.effect("can be deleted, and does not write itself again with its last words", () =>
    Effect.gen(function* () {
      const { first, host, starting, stubborn } = yield* ending
      const deleting = host.post("delete_session", { sessionId: first })
      yield* host.request("ping")
      yield* stubborn.release
      yield* Fiber.join(starting)
      assert.deepStrictEqual((yield* deleting).payload, { deleted: true })
      assert.isNull((yield* host.request("get_session", { sessionId: first })).payload)
    })
  )
})

describe("a session that is resumed while it is active", () => {
  it.effect("knows how its turn ended, and goes on counting", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      yield* host.request("hello", { extensions: ["sessions"] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).say("half")
      yield* host.event("assistant_delta")
      yield* host.request("resume_session", { sessionId })
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled", turnCount: 1, stepCount: 1 })
      const state = (yield* host.request("get_session", { sessionId })).payload
      assert.deepInclude(state, { status: "cancelled", turnCount: 1, stepCount: 1 })
      const next = yield* Effect.forkChild(send(sessionId, "again"))
      ;(yield* model.next).answer("ok")
      assert.deepStrictEqual(yield* Fiber.join(next), { reason: "reply", turnCount: 2, stepCount: 2 })
    })
  )

  it.effect("is announced and answered before any word of its next turn, though the host reads late", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage({ config: { sidecar: { outputBufferBytes: 100 } } })
      yield* host.request("hello", { extensions: ["sessions", "llm_state"] })
      const sessionId = yield* session
      yield* host.stdio.reading.close
      const resuming = host.post("resume_session", { sessionId })
      yield* settled
      const early = send(sessionId, "too early")
      yield* settled
      yield* host.stdio.reading.open
      yield* resuming
      assert.deepInclude(yield* early, { message: `no active session with id ${sessionId}` })
      const next = send(sessionId, "go on")
      ;(yield* model.next).answer("ok")
      assert.deepInclude(yield* next, { reason: "reply" })
    })
  )
})
