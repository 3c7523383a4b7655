import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { stage, types } from "../support/Sidecar.ts"

const deltas = (frames: ReadonlyArray<SidecarFrame>) =>
  frames.flatMap((frame) => (frame.kind === "event" && frame.type === "assistant_delta" ? [frame.payload.text] : []))

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("contract 3, frames out", () => {
  it.effect("writes every frame as one line with an id of its own", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "a\nb\u2028c"))
      ;(yield* model.next).answer("x\ny\u2029z")
      yield* Fiber.join(sent)
      assert.isTrue(host.output.endsWith("\n"))
      assert.strictEqual(host.output.trim().split("\n").length, host.frames.length)
      for (const frame of host.frames) assert.match(frame.id, uuid)
    })
  )

  it.effect("writes no half of a character, wherever it comes from", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "host \ud83d \\ud83d"))
      const first = yield* model.next
      assert.deepInclude(first.request.history.at(-1), { text: "host \ufffd \\ud83d" })
      first.think("thought \ud83d")
      first.say("said \ude00")
      first.finish([toolCall("no.such\ud83d", { "\ud83d": "args \ud83d 😀" })])
      ;(yield* model.next).answer("done")
      yield* Fiber.join(sent)
      yield* host.request("get_session", { sessionId })
      assert.match(host.output, /host \ufffd \\\\ud83d/)
      assert.include(host.output, '"text":"thought \ufffd"')
      assert.include(host.output, '"text":"said \ufffd"')
      assert.include(host.output, '"\ufffd":"args \ufffd 😀"')
      assert.notMatch(host.output, /(?<!\\)(?:\\\\)*\\ud[89a-f]/)
    })
  )

  it.effect("leaves optional keys out and never writes null for them", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "hi"))
      ;(yield* model.next).answer("hello")
      yield* Fiber.join(sent)
      const reply = yield* host.event("assistant_reply")
      assert.deepStrictEqual(Object.keys(reply.payload).toSorted(), ["sessionId", "text", "turnId"])
      assert.notProperty((yield* host.event("turn_finished")).payload, "usage")
      assert.notInclude(host.output, "null")
    })
  )

  it.effect("tells a failed handler by an error event with the stack, then the response with the same message", () =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      const response = yield* host.request("send_message", { sessionId: "s-000", text: "hi" })
      const [event] = host.frames
      assert.deepInclude(event, { kind: "event", type: "error" })
      if (event?.kind !== "event" || event.type !== "error" || response.ok) throw new Error("not what was expected")
      assert.deepStrictEqual(response.error, { code: "handler_failed", message: "no active session with id s-000" })
      assert.deepStrictEqual(response.payload, {})
      assert.deepInclude(event.payload, response.error)
      assert.include(event.payload.stack, "no active session")
    })
  )

  it.effect("suspends the model while the host does not read, merges what waits, and loses nothing", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage({ config: { sidecar: { outputBufferBytes: 4000 } } })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const call = yield* model.next
      yield* host.stdio.reading.close
      const words = Array.from({ length: 2000 }, (_, index) => `${index} `)
      for (const word of words) call.say(word)
      yield* call.taken
      // Requests are read and carried out all the while.
      const steer = yield* Effect.forkChild(host.request("steer_message", { sessionId, text: "more" }))
      yield* host.stdio.reading.open
      assert.deepStrictEqual((yield* Fiber.join(steer)).payload, { steered: true })
      call.finish()
      const second = yield* model.next
      second.answer("end")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply", stepCount: 2 })
      const texts = deltas(host.frames)
      assert.strictEqual(texts.join(""), `${words.join("")}end`)
      assert.isBelow(texts.length, 200)
    })
  )

  it.effect("carries a cancel out while the host does not read", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage({ config: { sidecar: { outputBufferBytes: 1000 } } })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const call = yield* model.next
      yield* host.stdio.reading.close
      for (let index = 0; index < 100; index++) call.emit({ _tag: "Reasoning", text: "x".repeat(100) })
      const cancel = yield* Effect.forkChild(host.request("cancel", { sessionId }))
      yield* call.interrupted
      yield* host.stdio.reading.open
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      assert.deepStrictEqual((yield* Fiber.join(cancel)).payload, { cancelled: true, turns: 1 })
    })
  )

  it.effect("answers requests beyond the budget of turns, and stops reading at twice of it", () =>
    Effect.gen(function* () {
      const { host } = yield* stage({ config: { sidecar: { outputBufferBytes: 20_000 } } })
      yield* host.request("ping")
      yield* host.stdio.reading.close
      const pings = yield* Effect.forEach(Array.from({ length: 1000 }), () => Effect.forkChild(host.request("ping")))
      yield* host.stdio.reading.open
      for (const response of yield* Fiber.joinAll(pings)) assert.isTrue(response.ok)
      assert.strictEqual(types(host.frames).length, 1001)
    })
  )
})
