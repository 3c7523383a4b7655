import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { LlamaError, Cut } from "../../src/llama/LlamaError.ts"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { stage } from "../support/Sidecar.ts"
import { gatedTool } from "../support/Tools.ts"
import { order, settled, stubbornTool } from "./support.ts"

/** So little that a host which does not read holds up the next event at once. */
const narrow = { sidecar: { outputBufferBytes: 100 } }

describe("a cancel", () => {
  it.effect("that comes second is answered when the turns of the first have ended, and counts none of them", () =>
    Effect.gen(function* () {
      const { host, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const first = host.post("cancel", { sessionId })
      const second = host.post("cancel", { sessionId })
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      assert.deepStrictEqual((yield* first).payload, { cancelled: true, turns: 1 })
      assert.deepStrictEqual((yield* second).payload, { cancelled: true, turns: 0 })
      assert.deepStrictEqual(order(host.frames, host.requests).slice(-3), ["→ send_message", "→ cancel", "→ cancel"])
    })
  )

  it.effect("takes a thousand waiting messages with it, each answered once and in order", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = Array.from({ length: 1000 }, (_, index) => send(sessionId, `message ${index}`))
      const ids = host.requests.slice(-1000).map(({ id }) => id)
      yield* model.next
      const cancel = yield* host.request("cancel", { sessionId })
      assert.deepStrictEqual(cancel.payload, { cancelled: true, turns: 1000 })
      for (const each of yield* Effect.all(sent)) assert.deepInclude(each, { reason: "cancelled", turnCount: 1 })
      const answered = host.frames.flatMap((frame) => (frame.kind === "response" ? [frame.correlationId] : []))
      assert.deepStrictEqual(answered.slice(1, -1), ids)
      const next = send(sessionId, "go on")
      ;(yield* model.next).answer("ok")
      assert.deepStrictEqual(yield* next, { reason: "reply", turnCount: 2, stepCount: 2 })
    })
  )

  it.effect("that comes second while a tool takes its time to stop counts nothing and waits too", () =>
    Effect.gen(function* () {
      const stubborn = stubbornTool()
      const { host, model, send, session } = yield* stage({ tools: [stubborn.tool] })
      const sessionId = yield* session
      yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("stubborn")])
      yield* stubborn.started
      const first = host.post("cancel", { sessionId })
      yield* host.request("ping")
      const second = host.post("cancel", { sessionId })
      yield* host.request("ping")
      yield* stubborn.release
      assert.deepStrictEqual((yield* first).payload, { cancelled: true, turns: 1 })
      assert.deepStrictEqual((yield* second).payload, { cancelled: true, turns: 0 })
      assert.deepStrictEqual(order(host.frames, host.requests).slice(-3), ["→ send_message", "→ cancel", "→ cancel"])
    })
  )

  it.effect("that comes with the closing reply comes too late: the turn ends with its reply", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage({ config: narrow })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const call = yield* model.next
      call.say("All is well.")
      yield* host.event("assistant_delta")
      yield* host.stdio.reading.close
      call.finish()
      // Its llm_response fills the output: the closing reply waits for room.
      yield* settled
      const cancel = host.post("cancel", { sessionId })
      yield* settled
      yield* host.stdio.reading.open
      assert.deepStrictEqual(yield* Fiber.join(sent), { reason: "reply", turnCount: 1, stepCount: 1 })
      assert.deepStrictEqual((yield* cancel).payload, { cancelled: true, turns: 0 })
      assert.strictEqual((yield* host.event("assistant_reply")).payload.text, "All is well.")
    })
  )

  it.effect("ends a turn as cancelled, without figures that nobody gave: its usage is absent, not zero", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = send(sessionId, "go")
      ;(yield* model.next).say("half")
      yield* host.event("assistant_delta")
      yield* host.request("cancel", { sessionId })
      assert.deepInclude(yield* sent, { reason: "cancelled" })
      const { payload } = yield* host.event("turn_finished")
      assert.strictEqual(payload.reason, "cancelled")
      assert.notProperty(payload, "usage")
    })
  )

  it.effect("leaves nothing that a steer could reach: it is refused from then on", () =>
    Effect.gen(function* () {
      const stubborn = stubbornTool()
      const { host, model, send, session } = yield* stage({ tools: [stubborn.tool] })
      const sessionId = yield* session
      yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("stubborn")])
      yield* stubborn.started
      const before = yield* host.request("steer_message", { sessionId, text: "before" })
      const cancel = host.post("cancel", { sessionId })
      const after = yield* host.request("steer_message", { sessionId, text: "after" })
      yield* stubborn.release
      yield* cancel
      assert.deepStrictEqual([before.payload, after.payload], [{ steered: true }, { steered: false }])
      assert.strictEqual((yield* host.event("steer_undelivered")).payload.text, "before")
    })
  )
})

describe("a turn that is ending", () => {
  it.effect("takes no more steers, though the host does not read of its end", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage({ config: { sidecar: { outputBufferBytes: 600 } } })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const call = yield* model.next
      yield* host.event("step_started")
      yield* host.stdio.reading.close
      call.say("x".repeat(2000))
      yield* settled
      call.fail(new LlamaError({ reason: new Cut({ detail: "cut off" }) }))
      yield* settled
      const steer = host.post("steer_message", { sessionId, text: "too late" })
      yield* settled
      yield* host.stdio.reading.open
      assert.deepStrictEqual((yield* steer).payload, { steered: false })
      assert.deepInclude(yield* Fiber.join(sent), { reason: "failed" })
    })
  )
})

describe("an approval that was withdrawn", () => {
  it.effect("takes no answer any more, though the host has not been told yet", () =>
    Effect.gen(function* () {
      const danger = gatedTool("danger", { category: "shell" })
      const { host, model, send, session } = yield* stage({ tools: [danger.tool], config: narrow })
      yield* host.request("hello", { extensions: ["approval_resolved"] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("danger")])
      const { approvalId } = (yield* host.event("approval_request")).payload
      yield* host.stdio.reading.close
      // One answer is being written, the other fills the output.
      const pings = [host.post("ping"), host.post("ping")]
      yield* settled
      const cancel = host.post("cancel", { sessionId })
      const late = host.post("approval_response", { approvalId, approved: true })
      yield* settled
      yield* host.stdio.reading.open
      yield* Effect.all(pings)
      yield* cancel
      assert.deepStrictEqual((yield* late).payload, { resolved: false })
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      assert.deepInclude((yield* host.event("approval_resolved")).payload, { approvalId, outcome: "withdrawn" })
    })
  )
})
