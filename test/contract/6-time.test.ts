import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { stage } from "../support/Sidecar.ts"
import { gatedTool } from "../support/Tools.ts"

const config = { stateDir: "/nonexistent/state", agent: { task: { maxDurationMs: 10_000 } } }
const why = "ended: the turn has taken longer than 10000 ms (agent.task.maxDurationMs)"

const results = (frames: ReadonlyArray<SidecarFrame>) =>
  frames.flatMap((frame) =>
    frame.kind === "event" && frame.type === "tool_call_result" ? [[frame.payload.status, frame.payload.summary]] : []
  )

describe("contract 6, a turn whose time is over", () => {
  it.effect("ends the call that it waits for, and sums up", () =>
    Effect.gen(function* () {
      const slow = gatedTool("slow", { reads: false })
      const { host, model, send, session } = yield* stage({ config, tools: [slow.tool] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("slow", { value: 1 }), toolCall("slow", { value: 2 })])
      yield* slow.next
      yield* TestClock.adjust(10_000)
      const last = yield* model.next
      assert.deepStrictEqual(results(host.frames), [
        ["error", why],
        ["error", why]
      ])
      assert.deepInclude(last.request.history.at(-1), { kind: "notice" })
      last.answer("That took too long.")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply" })
    })
  )

  it.effect("ends the answer that it waits for, which fails the turn", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage({ config })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const call = yield* model.next
      call.say("well")
      yield* host.event("assistant_delta")
      yield* TestClock.adjust(9_999)
      call.say(", now")
      yield* host.event("assistant_delta", ({ payload }) => payload.text.includes("now"))
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(sent), { reason: "failed" })
      yield* call.interrupted
      assert.strictEqual((yield* host.event("session_failed")).payload.error, why)
      const next = yield* Effect.forkChild(send(sessionId, "again"))
      const second = yield* model.next
      assert.deepInclude(second.request.history[1], { kind: "assistant_reply", text: "well, now", interrupted: true })
      second.answer("here")
      assert.deepInclude(yield* Fiber.join(next), { reason: "reply" })
    })
  )

  it.effect("withdraws the question that it waits for", () =>
    Effect.gen(function* () {
      const tool = gatedTool("act", { category: "shell" })
      const { host, model, send, session } = yield* stage({ config, tools: [tool.tool] })
      yield* host.request("hello", { extensions: ["approval_resolved"] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("act", { value: 1 })])
      const asked = yield* host.event("approval_request")
      yield* TestClock.adjust(10_000)
      assert.deepInclude((yield* host.event("approval_resolved")).payload, { outcome: "withdrawn" })
      ;(yield* model.next).answer("Nobody said yes.")
      yield* Fiber.join(sent)
      const { approvalId } = asked.payload
      const late = yield* host.request("approval_response", { approvalId, approved: true })
      assert.deepStrictEqual(late.payload, { resolved: false })
      assert.deepStrictEqual(results(host.frames), [["error", why]])
    })
  )

  it.effect("gives its closing answer a minute, and no more", () =>
    Effect.gen(function* () {
      const slow = gatedTool("slow", { reads: false })
      const { host, model, send, session } = yield* stage({ config, tools: [slow.tool] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("slow", { value: 1 })])
      yield* slow.next
      yield* TestClock.adjust(10_001)
      const last = yield* model.next
      last.say("so")
      yield* host.event("assistant_delta")
      yield* TestClock.adjust(60_000)
      assert.deepInclude(yield* Fiber.join(sent), { reason: "failed" })
    })
  )

  it.effect("says of a cancel that it was one, though its time is nearly over", () =>
    Effect.gen(function* () {
      const slow = gatedTool("slow", { reads: false })
      const { host, model, send, session } = yield* stage({ config, tools: [slow.tool] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("slow", { value: 1 })])
      yield* slow.next
      yield* TestClock.adjust(9_999)
      yield* host.request("cancel", { sessionId })
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      assert.deepStrictEqual(results(host.frames), [["error", "cancelled before it was done"]])
    })
  )
})
