import { mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { LlamaError, Unreachable } from "../../src/llama/LlamaError.ts"
import { eventTable } from "../../src/protocol/EventTable.ts"
import type { ListSessionsResult } from "../../src/protocol/Request.ts"
import { requestTable } from "../../src/protocol/RequestTable.ts"
import { stage, types } from "../support/Sidecar.ts"

/** The types in a table of the protocol that belong to an extension. */
const extended = (table: object) =>
  Object.entries(table).flatMap(([type, { extension }]) => (extension === undefined ? [] : [type]))

const all = [
  "llm_progress",
  "llm_state",
  "approval_resolved",
  "queue",
  "sessions",
  "parallel_sessions",
  "options",
  "host_tools",
  "tool_output",
  "grants"
]

describe("contract 9, hello", () => {
  it.effect("grants what it knows, leaves out what it does not, and names the limits", () =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      const response = yield* host.request("hello", {
        extensions: ["queue", "telepathy"],
        client: { name: "t", version: "1" }
      })
      assert.deepStrictEqual(response.payload, {
        protocol: { version: 1, extensions: all },
        extensions: ["queue"],
        limits: {
          maxLineBytes: 33554432,
          outputBufferBytes: 8388608,
          maxParallelToolCalls: 8,
          maxSteers: 16,
          maxSessions: 16
        },
        sidecarVersion: "0.1.0"
      })
    })
  )

  it.effect("is needed before any request or event beyond the specification", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const requests = extended(requestTable)
      assert.isAtLeast(requests.length, 5)
      for (const type of requests) {
        const response = yield* host.post(type, { sessionId, turnId: "t" })
        assert.strictEqual(response.ok ? "ok" : response.error.code, "unknown_request", type)
      }
      const sent = yield* Effect.forkChild(send(sessionId, "hi"))
      const call = yield* model.next
      call.emit({ _tag: "Loading" })
      call.emit({ _tag: "Prefill", processed: 1, total: 2, cached: 0 })
      call.answer("ok")
      yield* Fiber.join(sent)
      const events = extended(eventTable)
      assert.isAtLeast(events.length, 4)
      for (const type of events) assert.notInclude(types(host.frames), type)
    })
  )

  it.effect("may come again, with other wishes", () =>
    Effect.gen(function* () {
      const { host, session } = yield* stage()
      const sessionId = yield* session
      yield* host.request("hello", { extensions: ["queue"] })
      assert.isTrue((yield* host.post("list_queue", { sessionId })).ok)
      yield* host.request("hello", { extensions: [] })
      assert.isFalse((yield* host.post("list_queue", { sessionId })).ok)
    })
  )
})

describe("contract 9, the extensions", () => {
  it.effect("llm_progress tells of loading, prefill and the first word", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      yield* host.request("hello", { extensions: ["llm_progress"] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "hi"))
      const call = yield* model.next
      call.emit({ _tag: "Loading" })
      call.emit({ _tag: "Prefill", processed: 5, total: 9, cached: 4 })
      call.say("a")
      call.answer("b")
      yield* Fiber.join(sent)
      const phases = host.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "llm_progress" ? [frame.payload] : []
      )
      assert.deepStrictEqual(
        phases.map((payload) => payload.phase),
        ["loading", "prefill", "generating"]
      )
      assert.deepInclude(phases[1], { processed: 5, total: 9, cached: 4 })
    })
  )

  it.effect("llm_state tells what the probe found, then changes, and probes every 2 s until it is ready", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      yield* host.request("hello", { extensions: ["llm_state"] })
      const sessionId = yield* session
      const states = () =>
        host.frames.flatMap((frame) =>
          frame.kind === "event" && frame.type === "llm_state" ? [frame.payload.state] : []
        )
      yield* host.event("llm_state")
      assert.deepStrictEqual(states(), ["ready"])
      const sent = yield* Effect.forkChild(send(sessionId, "hi"))
      ;(yield* model.next).fail(new LlamaError({ reason: new Unreachable({ detail: "connection refused" }) }))
      yield* Fiber.join(sent)
      assert.deepStrictEqual(states(), ["ready", "unreachable"])
      yield* TestClock.adjust(2000)
      yield* host.event("llm_state", (frame) => frame.id !== host.frames[1]?.id && frame.payload.state === "ready")
      yield* host.request("ping")
      assert.deepStrictEqual(states(), ["ready", "unreachable", "ready"])
      yield* TestClock.adjust(60_000)
      assert.lengthOf(states(), 3)
    })
  )

  it.effect(
    "llm_state tells that a request has met a server that loads, and that it answers before its answer is whole",
    () =>
      Effect.gen(function* () {
        const { host, model, send, session } = yield* stage()
        yield* host.request("hello", { extensions: ["llm_state"] })
        const sessionId = yield* session
        const sent = yield* Effect.forkChild(send(sessionId, "hi"))
        const call = yield* model.next
        call.emit({ _tag: "Loading" })
        yield* host.event("llm_state", ({ payload }) => payload.state === "loading")
        call.say("at last")
        yield* host.event("assistant_delta")
        const states = host.frames.flatMap((frame) =>
          frame.kind === "event" && frame.type === "llm_state" ? [frame.payload.state] : []
        )
        assert.deepStrictEqual(states, ["ready", "loading", "ready"])
        call.finish()
        yield* Fiber.join(sent)
      })
  )

  it.effect("queue lists what runs and waits, and takes a waiting turn out", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      yield* host.request("hello", { extensions: ["queue"] })
      const sessionId = yield* session
      const sent = yield* Effect.forEach(["a", "b", "c"], (text) => Effect.forkChild(send(sessionId, text)))
      const call = yield* model.next
      const queued = host.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "turn_queued" ? [frame.payload] : []
      )
      assert.deepStrictEqual(
        queued.map(({ position }) => position),
        [0, 1, 2]
      )
      const [a, b, c] = queued.map(({ turnId }) => turnId)
      assert.deepStrictEqual((yield* host.post("list_queue", { sessionId })).payload, {
        running: a,
        queued: [
          { turnId: b, text: "b", position: 1 },
          { turnId: c, text: "c", position: 2 }
        ]
      })
      assert.deepStrictEqual((yield* host.post("unqueue", { sessionId, turnId: b })).payload, { removed: true })
      assert.deepStrictEqual((yield* host.post("unqueue", { sessionId, turnId: b })).payload, { removed: false })
      assert.deepStrictEqual((yield* host.post("unqueue", { sessionId, turnId: a })).payload, { removed: false })
      assert.deepInclude(yield* Fiber.join(sent[1]!), { reason: "cancelled" })
      call.answer("1")
      const next = yield* model.next
      assert.deepInclude(next.request.history.at(-1), { text: "c" })
      next.answer("3")
      assert.deepInclude(yield* Fiber.join(sent[2]!), { reason: "reply", turnCount: 2 })
    })
  )

  it.effect("sessions lists, resumes and deletes what is stored", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      yield* host.request("hello", { extensions: ["sessions"] })
      const first = yield* session
      const sent = yield* Effect.forkChild(send(first, "remember me"))
      ;(yield* model.next).answer("I will")
      yield* Fiber.join(sent)
      yield* TestClock.adjust(10)
      const second = yield* session
      const list = (yield* host.post("list_sessions")).payload as ListSessionsResult
      assert.deepStrictEqual(
        list.sessions.map(({ id }) => id),
        [second, first]
      )
      assert.deepInclude(list.sessions[1], { firstMessage: "remember me", turnCount: 1, status: "pending" })
      assert.lengthOf(((yield* host.post("list_sessions", { limit: 1 })).payload as { sessions: [] }).sessions, 1)

      const resumed = yield* host.post("resume_session", { sessionId: first })
      assert.deepInclude(resumed.payload, { sessionId: first })
      const again = yield* Effect.forkChild(send(first, "who am I?"))
      const call = yield* model.next
      assert.strictEqual(call.request.turnIndex, 1)
      assert.deepStrictEqual(
        call.request.history.map((entry) => ("text" in entry ? entry.text : entry.kind)),
        ["remember me", "I will", "who am I?"]
      )
      call.answer("you")
      assert.deepInclude(yield* Fiber.join(again), { reason: "reply", turnCount: 2, stepCount: 2 })

      assert.isFalse((yield* host.post("delete_session", { sessionId: first })).ok)
      assert.deepStrictEqual((yield* host.post("delete_session", { sessionId: second })).payload, { deleted: true })
      assert.deepStrictEqual((yield* host.post("delete_session", { sessionId: second })).payload, { deleted: false })
      const missing = yield* host.post("resume_session", { sessionId: "s-none" })
      assert.isFalse(missing.ok)
      assert.isTrue((yield* host.request("ping")).ok)
    })
  )

  it.effect("sessions does not resume one whose directory is gone, says which, and leaves the current one alone", () =>
    Effect.gen(function* () {
      const { host, session } = yield* stage()
      yield* host.request("hello", { extensions: ["sessions"] })
      const folder = mkdtempSync(Path.join(tmpdir(), "gone-"))
      const started = yield* host.request("start_session", { workingDir: folder })
      const { sessionId } = started.payload as { sessionId: string }
      const current = yield* session
      rmdirSync(folder)
      const response = yield* host.post("resume_session", { sessionId })
      assert.strictEqual(
        response.ok ? "" : response.error.message,
        `session ${sessionId}: workingDir: expected an existing directory, got ${folder}`
      )
      assert.isTrue(((yield* host.post("cancel", { sessionId: current })).payload as { cancelled: boolean }).cancelled)
    })
  )
})
