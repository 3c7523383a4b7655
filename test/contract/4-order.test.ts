import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { stage, types } from "../support/Sidecar.ts"

const usage = { promptTokens: 10, cachedTokens: 4, completionTokens: 3 }

describe("contract 4, order", () => {
  it.effect("tells a turn that answers at once", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "hi"))
      const call = yield* model.next
      call.think("hm")
      call.say("Hel")
      call.say("lo")
      call.finish([], usage)
      assert.deepStrictEqual(yield* Fiber.join(sent), { reason: "reply", turnCount: 1, stepCount: 1 })
      assert.deepStrictEqual(
        types(host.frames).filter((type) => type !== "assistant_delta"),
        [
          "session_started",
          "response",
          "user_message",
          "turn_started",
          "step_started",
          "reasoning_delta",
          "llm_request",
          "llm_response",
          "assistant_reply",
          "step_finished",
          "turn_finished",
          "response"
        ]
      )
      const finished = yield* host.event("turn_finished")
      assert.deepInclude(finished.payload, { turnIndex: 0, reason: "reply", stepCount: 1, usage })
      assert.strictEqual((yield* host.event("step_finished")).payload.tokensUsed, 13)
      assert.deepInclude((yield* host.event("llm_request")).payload, {
        slotId: -1,
        promptTokens: 10,
        cacheReused: true
      })
    })
  )

  it.effect("tells how long the prompt is before the first delta, where the server reports progress", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "hi"))
      const call = yield* model.next
      call.emit({ _tag: "Prefill", processed: 5, total: 20, cached: 5 })
      call.emit({ _tag: "Prefill", processed: 20, total: 20, cached: 5 })
      call.answer("Hello")
      yield* Fiber.join(sent)
      const seen = types(host.frames)
      assert.isBelow(seen.indexOf("llm_request"), seen.indexOf("assistant_delta"))
      assert.strictEqual(seen.filter((type) => type === "llm_request").length, 1)
      assert.strictEqual((yield* host.event("llm_request")).payload.promptTokens, 20)
    })
  )

  it.effect("tells a batch: all calls first, then their results, then the next step", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "look"))
      const first = yield* model.next
      first.say("I look.")
      first.finish([toolCall("fs.list", { path: "src" }), toolCall("fs.read", { path: "package.json" })])
      const second = yield* model.next
      second.answer("Done.")
      assert.deepStrictEqual(yield* Fiber.join(sent), { reason: "reply", turnCount: 1, stepCount: 2 })

      const seen = types(host.frames).slice(2)
      assert.deepStrictEqual(seen, [
        "user_message",
        "turn_started",
        "step_started",
        "assistant_delta",
        "llm_request",
        "llm_response",
        "assistant_reply",
        "tool_call_started",
        "tool_call_started",
        "tool_call_result",
        "tool_call_result",
        "step_finished",
        "step_started",
        "assistant_delta",
        "llm_request",
        "llm_response",
        "assistant_reply",
        "step_finished",
        "turn_finished",
        "response"
      ])
      const note = yield* host.event("assistant_reply", (frame) => frame.payload.progressNote === true)
      assert.strictEqual(note.payload.text, "I look.")
      const started = yield* host.event("tool_call_started", (frame) => frame.payload.tool === "fs.read")
      assert.deepInclude(started.payload, { stepIndex: -1, step: 0, batchIndex: 1, batchSize: 2 })
      assert.deepStrictEqual(started.payload.args, { path: "package.json" })
      const history = second.request.history.map((entry) => entry.kind)
      assert.deepStrictEqual(history.slice(0, 4), [
        "user",
        "assistant_reply",
        "assistant_tool_call",
        "assistant_tool_call"
      ])
    })
  )

  it.effect("leaves batch numbers out of a solo call", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      yield* Effect.forkChild(send(sessionId, "look"))
      const first = yield* model.next
      first.finish([toolCall("fs.list", { path: "." })])
      const result = yield* host.event("tool_call_result")
      assert.notProperty(result.payload, "batchIndex")
      assert.notProperty(result.payload, "batchSize")
      assert.strictEqual(result.payload.status, "ok")
      const second = yield* model.next
      second.answer("ok")
    })
  )

  it.effect("plays messages first in, first out, each after the response of the one before", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forEach([0, 1, 2, 3, 4], (index) => Effect.forkChild(send(sessionId, `m${index}`)))
      for (let index = 0; index < 5; index++) {
        const call = yield* model.next
        assert.strictEqual(call.request.turnIndex, index)
        call.answer(`a${index}`)
      }
      const results = yield* Fiber.joinAll(sent)
      assert.deepStrictEqual(
        results,
        [1, 2, 3, 4, 5].map((count) => ({ reason: "reply", turnCount: count, stepCount: count }))
      )
      const last = (yield* host.request("get_session", { sessionId })).payload as { turns: ReadonlyArray<object> }
      assert.strictEqual(last.turns.length, 10)
    })
  )

  it.effect("streams CJK, emoji sequences and separators so that the deltas make the reply", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const text = "日本語 👩‍👩‍👧‍👦 a\u2028b\u2029c العربية é"
      const sent = yield* Effect.forkChild(send(sessionId, text))
      const call = yield* model.next
      for (const unit of text) call.say(unit)
      call.finish()
      yield* Fiber.join(sent)
      const deltas = host.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "assistant_delta" ? [frame.payload.text] : []
      )
      assert.strictEqual(deltas.join(""), text)
      assert.strictEqual((yield* host.event("assistant_reply")).payload.text, text)
      assert.strictEqual((yield* host.event("user_message")).payload.text, text)
      assert.notMatch(host.output, /[\u2028\u2029]/)
    })
  )
})
