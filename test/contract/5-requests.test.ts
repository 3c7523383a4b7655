import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { stage, types } from "../support/Sidecar.ts"
import { gatedTool } from "../support/Tools.ts"

const cancelled = (turnCount: number, stepCount: number) => ({ reason: "cancelled", turnCount, stepCount })

describe("contract 5, ping and sessions", () => {
  it.effect("answers a ping before, during and after a turn", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      assert.deepInclude((yield* host.request("ping")).payload, { ok: true, version: "0.1.0" })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "hi"))
      const call = yield* model.next
      assert.isTrue((yield* host.request("ping")).ok)
      call.answer("ok")
      yield* Fiber.join(sent)
      assert.isTrue((yield* host.request("ping")).ok)
    })
  )

  it.effect("refuses a working directory that is none, and lets the current session live", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      for (const workingDir of ["/no/such/place", "package.json", "\0", "", " "]) {
        const response = yield* host.request("start_session", { workingDir })
        assert.isFalse(response.ok)
        if (!response.ok) assert.match(response.error.message, /payload\.workingDir: expected a.*directory/)
      }
      const sent = yield* Effect.forkChild(send(sessionId, "still here?"))
      ;(yield* model.next).answer("yes")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply" })
    })
  )

  it.effect("ends the old session with all its responses before the new one starts", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const first = yield* session
      const sent = yield* Effect.forEach(["a", "b", "c"], (text) => Effect.forkChild(send(first, text)))
      const call = yield* model.next
      call.say("half")
      yield* host.event("assistant_delta")
      const second = yield* session
      yield* call.interrupted
      assert.deepStrictEqual(yield* Fiber.joinAll(sent), [cancelled(1, 1), cancelled(1, 1), cancelled(1, 1)])
      const seen = types(host.frames)
      assert.isBelow(seen.indexOf("turn_finished"), seen.lastIndexOf("session_started"))
      assert.deepInclude(yield* send(first, "too late"), { message: `no active session with id ${first}` })
      const again = yield* Effect.forkChild(send(second, "hello"))
      ;(yield* model.next).answer("hi")
      assert.deepInclude(yield* Fiber.join(again), { reason: "reply", turnCount: 1 })
      const old = (yield* host.request("get_session", { sessionId: first })).payload
      assert.deepInclude(old, { id: first, status: "cancelled", turnCount: 1 })
    })
  )

  it.effect("runs starts one at a time, in order", () =>
    Effect.gen(function* () {
      const { host, session } = yield* stage()
      const starts = yield* Effect.forEach([0, 1, 2], () => Effect.forkChild(session))
      const ids = yield* Fiber.joinAll(starts)
      const started = host.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "session_started" ? [frame.payload.sessionId] : []
      )
      assert.deepStrictEqual(started, ids)
      assert.strictEqual(new Set(ids).size, 3)
    })
  )

  it.effect("shows a session's live state, another's stored one, and null for what nobody knows", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      assert.isNull((yield* host.request("get_session", { sessionId: "s-nobody" })).payload)
      const sessionId = yield* session
      yield* Effect.forkChild(send(sessionId, "look"))
      const call = yield* model.next
      const live = (yield* host.request("get_session", { sessionId })).payload
      assert.deepInclude(live, { id: sessionId, status: "running", turnCount: 1, stepCount: 1, lastError: null })
      assert.lengthOf((live as { turns: ReadonlyArray<unknown> }).turns, 1)
      call.answer("done")
      yield* host.event("turn_finished")
      yield* session
      assert.deepInclude((yield* host.request("get_session", { sessionId })).payload, {
        id: sessionId,
        status: "pending"
      })
      assert.isNull((yield* host.request("get_session", { sessionId: "s-nobody" })).payload)
    })
  )
})

describe("contract 5, cancel", () => {
  it.effect("says false to an id that is not active, and true to an idle session", () =>
    Effect.gen(function* () {
      const { host, session } = yield* stage()
      assert.deepStrictEqual((yield* host.request("cancel", { sessionId: "s-x" })).payload, {
        cancelled: false,
        turns: 0
      })
      const sessionId = yield* session
      assert.deepStrictEqual((yield* host.request("cancel", { sessionId })).payload, { cancelled: true, turns: 0 })
    })
  )

  it.effect("ends the running turn and the queued ones, in order, and answers last", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forEach(["a", "b", "c"], (text) => Effect.forkChild(send(sessionId, text)))
      const call = yield* model.next
      call.say("half a wo")
      yield* host.event("assistant_delta")
      const response = yield* host.request("cancel", { sessionId })
      assert.deepStrictEqual(response.payload, { cancelled: true, turns: 3 })
      yield* call.interrupted
      assert.deepStrictEqual(yield* Fiber.joinAll(sent), [cancelled(1, 1), cancelled(1, 1), cancelled(1, 1)])
      assert.strictEqual(host.frames.at(-1), response)
      assert.strictEqual(types(host.frames).filter((type) => type === "user_message").length, 1)
      const state = (yield* host.request("get_session", { sessionId })).payload
      assert.deepInclude(state, { status: "cancelled", lastError: null })
      assert.deepInclude((state as { turns: ReadonlyArray<object> }).turns[1], {
        kind: "assistant_reply",
        text: "half a wo",
        interrupted: true
      })
    })
  )

  it.effect("spares a message that comes after it in the same write, and ends one that came before", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const before = yield* Effect.forkChild(send(sessionId, "before"))
      yield* Effect.yieldNow
      const [cancel, after] = [
        yield* Effect.forkChild(host.post("cancel", { sessionId })),
        yield* Effect.forkChild(send(sessionId, "after"))
      ]
      const call = yield* model.next
      assert.strictEqual(call.request.history.findLast((entry) => entry.kind === "user")?.text, "after")
      call.answer("ok")
      assert.deepInclude(yield* Fiber.join(before), { reason: "cancelled" })
      assert.deepStrictEqual((yield* Fiber.join(cancel)).payload, { cancelled: true, turns: 1 })
      assert.deepInclude(yield* Fiber.join(after), { reason: "reply" })
    })
  )

  it.effect.each(["start_session", "shutdown", "end"] as const)(
    "loses no response where %s follows it in the same write",
    (way) =>
      Effect.gen(function* () {
        const { host, model, send, session } = yield* stage()
        for (const running of [false, true]) {
          if (way !== "start_session" && running) continue
          const sessionId = yield* session
          const first = running ? [yield* Effect.forkChild(send(sessionId, "running"))] : []
          if (running) yield* model.next
          const sent = yield* Effect.forEach(["a", "b", "c"], (text) => Effect.forkChild(send(sessionId, text)))
          const cancel = yield* Effect.forkChild(host.request("cancel", { sessionId }))
          yield* Effect.yieldNow
          const after = yield* Effect.forkChild(way === "end" ? host.end : host.request(way, { workingDir: "." }))
          for (const result of yield* Fiber.joinAll([...first, ...sent]))
            assert.deepInclude(result, { reason: "cancelled" })
          assert.deepInclude((yield* Fiber.join(cancel)).payload, { cancelled: true })
          yield* Fiber.join(after)
        }
      })
  )

  it.effect("may come twice, and the session goes on", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "a"))
      yield* model.next
      const both = yield* Effect.forEach([0, 1], () => Effect.forkChild(host.request("cancel", { sessionId })))
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      for (const response of yield* Fiber.joinAll(both)) assert.deepInclude(response.payload, { cancelled: true })
      const next = yield* Effect.forkChild(send(sessionId, "b"))
      ;(yield* model.next).answer("ok")
      assert.deepInclude(yield* Fiber.join(next), { reason: "reply", turnCount: 2 })
    })
  )

  it.effect("interrupts a tool, answers its call and keeps what was done", () =>
    Effect.gen(function* () {
      const slow = gatedTool("slow", { reads: false })
      const { host, model, send, session } = yield* stage({ tools: [slow.tool] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "work"))
      ;(yield* model.next).finish([toolCall("slow", { value: 1 }), toolCall("slow", { value: 2 })])
      ;(yield* slow.next).finish("first is done")
      const second = yield* slow.next
      yield* host.request("cancel", { sessionId })
      yield* second.interrupted
      assert.deepStrictEqual(yield* Fiber.join(sent), cancelled(1, 1))
      const results = host.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "tool_call_result"
          ? [[frame.payload.status, frame.payload.summary]]
          : []
      )
      assert.deepStrictEqual(results, [
        ["ok", "first is done"],
        ["error", "cancelled before it was done"]
      ])
    })
  )

  it.effect("is answered after two seconds even where the host does not read the rest", () =>
    Effect.gen(function* () {
      const stuck = gatedTool("stuck", { reads: false })
      const { host, model, send, session } = yield* stage({
        tools: [stuck.tool],
        config: { sidecar: { outputBufferBytes: 2000 } }
      })
      const sessionId = yield* session
      yield* Effect.forkChild(send(sessionId, "work"))
      const call = yield* model.next
      yield* host.stdio.reading.close
      call.say("x".repeat(10_000))
      call.say("y".repeat(10_000))
      yield* Effect.yieldNow
      const cancel = yield* Effect.forkChild(host.request("cancel", { sessionId }))
      yield* call.interrupted
      yield* TestClock.adjust(2000)
      yield* host.stdio.reading.open
      assert.deepStrictEqual((yield* Fiber.join(cancel)).payload, { cancelled: true, turns: 1 })
      yield* host.event("turn_finished")
    })
  )
})

describe("contract 5, steer_message", () => {
  const inOneWrite = (...requests: ReadonlyArray<readonly [type: string, payload: object]>) =>
    requests
      .map(([type, payload], id) => `${JSON.stringify({ kind: "request", id: `w${id}`, type, payload })}\n`)
      .join("")

  it.effect("is read with the first step if it comes in the same write as its message", () =>
    Effect.gen(function* () {
      const { host, model, session } = yield* stage()
      const sessionId = yield* session
      const requests = [
        ["send_message", { sessionId, text: "hi" }],
        ["steer_message", { sessionId, text: "in French" }]
      ] as const
      host.write(inOneWrite(...requests), ["w0", "w1"])
      const call = yield* model.next
      assert.deepStrictEqual(
        call.request.history.map((entry) => (entry.kind === "user" ? [entry.text, entry.steered] : entry.kind)),
        [
          ["hi", undefined],
          ["in French", true]
        ]
      )
      call.answer("Salut")
      const response = yield* host.frame((frame) => frame.kind === "response" && frame.correlationId === "w0")
      const applied = yield* host.event("steer_applied")
      assert.deepInclude(applied.payload, { text: "in French", stepIndex: 0 })
      assert.isTrue(response.kind === "response" && response.ok)
    })
  )

  it.effect("is undelivered if its turn is cancelled before it starts", () =>
    Effect.gen(function* () {
      const { host, session } = yield* stage()
      const sessionId = yield* session
      const requests = [
        ["send_message", { sessionId, text: "hi" }],
        ["steer_message", { sessionId, text: "in French" }],
        ["cancel", { sessionId }]
      ] as const
      host.write(inOneWrite(...requests), ["w0", "w1", "w2"])
      yield* host.frame((frame) => frame.kind === "response" && frame.correlationId === "w2")
      const steered = yield* host.frame((frame) => frame.kind === "response" && frame.correlationId === "w1")
      assert.deepStrictEqual(steered.payload, { steered: true })
      const { payload } = yield* host.event("steer_undelivered")
      assert.strictEqual(payload.text, "in French")
    })
  )

  it.effect("is refused when nothing runs, when it is blank, and for another session", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const steer = (text: string, id = sessionId) =>
        Effect.map(host.request("steer_message", { sessionId: id, text }), (response) => response.payload)
      assert.deepStrictEqual(yield* steer("a"), { steered: false })
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const call = yield* model.next
      assert.deepStrictEqual(yield* steer(" "), { steered: false })
      assert.deepStrictEqual(yield* steer("a", "s-other"), { steered: false })
      call.answer("done")
      yield* Fiber.join(sent)
      assert.deepStrictEqual(yield* steer("a"), { steered: false })
    })
  )

  it.effect("is read by the next step, and makes a closing reply a note on the way", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const first = yield* model.next
      first.say("The answer is")
      yield* host.event("assistant_delta")
      assert.deepStrictEqual((yield* host.request("steer_message", { sessionId, text: "in French" })).payload, {
        steered: true
      })
      first.finish()
      const second = yield* model.next
      assert.deepInclude(second.request.history.at(-1), { kind: "user", text: "in French", steered: true })
      second.answer("La réponse")
      assert.deepStrictEqual(yield* Fiber.join(sent), { reason: "reply", turnCount: 1, stepCount: 2 })
      const replies = host.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "assistant_reply" ? [frame.payload.progressNote ?? false] : []
      )
      assert.deepStrictEqual(replies, [true, false])
      assert.deepInclude((yield* host.event("steer_applied")).payload, { text: "in French", stepIndex: 1 })
    })
  )

  it.effect("is refused in the last allowed step", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go", 1))
      const call = yield* model.next
      assert.deepStrictEqual((yield* host.request("steer_message", { sessionId, text: "x" })).payload, {
        steered: false
      })
      call.answer("done")
      yield* Fiber.join(sent)
    })
  )

  it.effect("comes back as undelivered when the turn is cancelled, each once and after the turn's end", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      yield* model.next
      for (const text of ["one", "two"]) yield* host.request("steer_message", { sessionId, text })
      yield* host.request("cancel", { sessionId })
      yield* Fiber.join(sent)
      const seen = types(host.frames)
      assert.deepStrictEqual(seen.slice(seen.indexOf("turn_finished")), [
        "turn_finished",
        "steer_undelivered",
        "steer_undelivered",
        "response",
        "response"
      ])
    })
  )

  it.effect("holds sixteen unread ones and refuses the next", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const first = yield* model.next
      for (let index = 0; index < 16; index++) {
        const response = yield* host.request("steer_message", { sessionId, text: `s${index}` })
        assert.deepStrictEqual(response.payload, { steered: true })
      }
      assert.deepStrictEqual((yield* host.request("steer_message", { sessionId, text: "s16" })).payload, {
        steered: false
      })
      first.answer("note")
      ;(yield* model.next).answer("end")
      yield* Fiber.join(sent)
      assert.strictEqual(types(host.frames).filter((type) => type === "steer_applied").length, 16)
    })
  )
})

describe("contract 5, shutdown", () => {
  it.effect("ends everything, refuses what comes after it and answers last", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forEach(["a", "b"], (text) => Effect.forkChild(send(sessionId, text)))
      yield* model.next
      const shutdown = yield* Effect.forkChild(host.request("shutdown"))
      const late = yield* Effect.forkChild(host.request("ping"))
      assert.deepStrictEqual(yield* Fiber.joinAll(sent), [cancelled(1, 1), cancelled(1, 1)])
      const refused = yield* Fiber.join(late)
      assert.strictEqual(refused.ok ? "ok" : refused.error.message, "shutting down")
      const response = yield* Fiber.join(shutdown)
      assert.deepStrictEqual(response.payload, { ok: true })
      yield* host.ended
      assert.strictEqual(host.frames.at(-1), response)
    })
  )

  it.effect("works without a session", () =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      assert.deepStrictEqual((yield* host.request("shutdown")).payload, { ok: true })
      yield* host.ended
    })
  )

  it.effect("waits for a start that was accepted before it", () =>
    Effect.gen(function* () {
      const { host, session } = yield* stage()
      const started = yield* Effect.forkChild(session)
      const shutdown = yield* Effect.forkChild(host.request("shutdown"))
      assert.match(yield* Fiber.join(started), /^s-/)
      assert.isTrue((yield* Fiber.join(shutdown)).ok)
    })
  )

  it.effect("has an equal in the end of the input: pending requests still get their responses", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forEach(["a", "b"], (text) => Effect.forkChild(send(sessionId, text)))
      yield* model.next
      yield* host.end
      assert.deepStrictEqual(yield* Fiber.joinAll(sent), [cancelled(1, 1), cancelled(1, 1)])
    })
  )
})
