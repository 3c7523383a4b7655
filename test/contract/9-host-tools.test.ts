import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import * as GatedModel from "../../src/testing/GatedModel.ts"
import { stage } from "../support/Sidecar.ts"

const weather = {
  name: "app.weather",
  description: "Tells the weather of a place.",
  parameters: {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { place: { type: "string", pattern: "^[A-Z]" }, days: { type: "integer", minimum: 1 } },
    required: ["place"],
    additionalProperties: false
  }
}

const granted = Effect.map(
  Effect.tap(stage(), ({ host }) => host.request("hello", { extensions: ["host_tools", "sessions"] })),
  (on) => ({
    ...on,
    start: (...tools: ReadonlyArray<object>) =>
      Effect.map(on.host.post("start_session", { workingDir: ".", tools }), (response) => {
        if (!response.ok) return assert.fail(response.error.message)
        return (response.payload as { sessionId: string }).sessionId
      }),
    respond: (requestId: string, text: string, more: object = {}) =>
      Effect.map(on.host.request("tool_response", { requestId, text, ...more }), ({ payload }) => payload)
  })
)

const call = (args: object = { place: "Oslo" }) => GatedModel.toolCall("app_weather", { ...args })

const resultsIn = (frames: ReadonlyArray<SidecarFrame>) =>
  frames.flatMap((frame) =>
    frame.kind === "event" && frame.type === "tool_call_result" ? [[frame.payload.status, frame.payload.summary]] : []
  )

const order = (frames: ReadonlyArray<SidecarFrame>) =>
  frames.flatMap((frame) => (frame.kind === "event" && frame.type.startsWith("tool_") ? [frame.type] : []))

const errorOf = (response: unknown) =>
  (response as { readonly error?: { readonly message: string } }).error?.message ?? assert.fail("no error")

describe("contract 9, host_tools", () => {
  it.effect("are offered to the model, without the keywords that servers choke on", () =>
    Effect.gen(function* () {
      const { model, send, start } = yield* granted
      const sessionId = yield* start(weather)
      yield* Effect.forkChild(send(sessionId, "go"))
      const { request } = yield* model.next
      assert.deepStrictEqual(request.tools.at(-1), {
        name: "app.weather",
        description: "Tells the weather of a place.",
        parameters: {
          type: "object",
          properties: { place: { type: "string" }, days: { type: "integer", minimum: 1 } },
          required: ["place"],
          additionalProperties: false
        }
      })
    })
  )

  it.effect("are run by the host, whose answer is the result", () =>
    Effect.gen(function* () {
      const { host, model, respond, send, start } = yield* granted
      const sessionId = yield* start(weather)
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([call({ place: "Oslo", days: "2" })])
      const { payload } = yield* host.event("tool_request")
      assert.deepInclude(payload, { sessionId, tool: "app.weather", args: { place: "Oslo", days: 2 } })
      assert.deepStrictEqual(yield* respond(payload.requestId, "sun"), { resolved: true })
      assert.deepStrictEqual(yield* respond(payload.requestId, "rain"), { resolved: false })
      ;(yield* model.next).answer("Sun.")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply" })
      assert.deepStrictEqual(resultsIn(host.frames), [["ok", "sun"]])
      assert.deepStrictEqual(order(host.frames), ["tool_call_started", "tool_request", "tool_call_result"])
    })
  )

  it.effect("fail if the host says so, and a long answer is cut", () =>
    Effect.gen(function* () {
      const { host, model, respond, send, start } = yield* granted
      const sessionId = yield* start(weather)
      yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([call()])
      yield* respond((yield* host.event("tool_request")).payload.requestId, "no network", { isError: true })
      ;(yield* model.next).finish([call({ place: "Rome" })])
      const second = yield* host.event("tool_request", ({ payload }) => JSON.stringify(payload.args).includes("Rome"))
      yield* respond(second.payload.requestId, "x".repeat(100_000))
      yield* model.next
      const results = host.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "tool_call_result" ? [frame.payload] : []
      )
      assert.deepInclude(results[0], { status: "error", summary: "no network" })
      assert.isTrue(results[1]?.truncated)
      assert.isBelow(results[1]?.summary.length ?? 0, 40_000)
    })
  )

  it.effect.each([
    [{}, "must have required property 'place'"],
    [{ place: "Oslo", days: 0 }, "days: must be >= 1"],
    [{ place: "oslo" }, 'place: must match pattern "^[A-Z]"'],
    [{ place: "Oslo", town: "x" }, 'must NOT have additional properties ("town")']
  ] as const)("are not asked with arguments that do not fit: %j", ([args, message]) =>
    Effect.gen(function* () {
      const { host, model, send, start } = yield* granted
      const sessionId = yield* start(weather)
      yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([call(args)])
      yield* model.next
      const [[status, summary] = []] = resultsIn(host.frames)
      assert.strictEqual(status, "error")
      assert.include(summary, message)
      assert.notInclude(order(host.frames), "tool_request")
    })
  )

  it.effect("are withdrawn by a cancel, before the result", () =>
    Effect.gen(function* () {
      const { host, model, respond, send, start } = yield* granted
      const sessionId = yield* start(weather)
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([call()])
      const { payload } = yield* host.event("tool_request")
      yield* host.request("cancel", { sessionId })
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      const withdrawn = yield* host.event("tool_withdrawn")
      assert.deepInclude(withdrawn.payload, { requestId: payload.requestId, reason: "cancelled" })
      assert.deepStrictEqual(order(host.frames), [
        "tool_call_started",
        "tool_request",
        "tool_withdrawn",
        "tool_call_result"
      ])
      assert.deepStrictEqual(yield* respond(payload.requestId, "late"), { resolved: false })
    })
  )

  it.effect("are withdrawn when their time is over", () =>
    Effect.gen(function* () {
      const { host, model, respond, send, start } = yield* granted
      const sessionId = yield* start({ ...weather, timeoutMs: 5000 })
      yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([call()])
      const { payload } = yield* host.event("tool_request")
      yield* TestClock.adjust(4999)
      assert.notInclude(order(host.frames), "tool_withdrawn")
      yield* TestClock.adjust(1)
      assert.deepInclude((yield* host.event("tool_withdrawn")).payload, { reason: "timeout" })
      yield* model.next
      assert.deepStrictEqual(resultsIn(host.frames), [["error", "the app did not answer within 5000 ms"]])
      assert.deepStrictEqual(yield* respond(payload.requestId, "late"), { resolved: false })
    })
  )

  it.effect("take an answer or a withdrawal, never both, when the two cross", () =>
    Effect.gen(function* () {
      const { host, model, send, start } = yield* granted
      const sessionId = yield* start(weather)
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([call()])
      const { requestId } = (yield* host.event("tool_request")).payload
      const line = (id: string, type: string, payload: object) =>
        `${JSON.stringify({ kind: "request", id, type, payload })}\n`
      const both = [line("x0", "cancel", { sessionId }), line("x1", "tool_response", { requestId, text: "late" })]
      host.write(both.join(""), ["x0", "x1"])
      assert.deepInclude(yield* Fiber.join(sent), { reason: "cancelled" })
      const answer = yield* host.frame((frame) => frame.kind === "response" && frame.correlationId === "x1")
      const resolved = (answer.payload as { resolved: boolean }).resolved
      assert.strictEqual(order(host.frames).includes("tool_withdrawn"), !resolved)
    })
  )

  it.effect("run side by side if they only read", () =>
    Effect.gen(function* () {
      const { host, model, respond, send, start } = yield* granted
      const sessionId = yield* start({ ...weather, reads: true })
      yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([call({ place: "Oslo" }), call({ place: "Rome" })])
      const second = yield* host.event("tool_request", ({ payload }) => JSON.stringify(payload.args).includes("Rome"))
      yield* respond(second.payload.requestId, "rain")
      yield* respond((yield* host.event("tool_request")).payload.requestId, "sun")
      yield* model.next
      assert.deepStrictEqual(resultsIn(host.frames), [
        ["ok", "rain"],
        ["ok", "sun"]
      ])
    })
  )

  it.effect("may be called with the same arguments any number of times", () =>
    Effect.gen(function* () {
      const { host, model, respond, send, start } = yield* granted
      const sessionId = yield* start(weather)
      yield* Effect.forkChild(send(sessionId, "go"))
      const asked = new Set<string>()
      for (let time = 0; time < 7; time++) {
        ;(yield* model.next).finish([call()])
        const { payload } = yield* host.event("tool_request", (frame) => !asked.has(frame.payload.requestId))
        asked.add(payload.requestId)
        yield* respond(payload.requestId, "the same")
      }
      yield* model.next
      assert.lengthOf(resultsIn(host.frames), 7)
      assert.isTrue(resultsIn(host.frames).every(([status]) => status === "ok"))
    })
  )

  it.effect("belong to one session, and are given again to a resumed one", () =>
    Effect.gen(function* () {
      const { host, model, send, session, start } = yield* granted
      const first = yield* start(weather)
      const second = yield* session
      yield* Effect.forkChild(send(second, "go"))
      const other = yield* model.next
      assert.notInclude(
        other.request.tools.map(({ name }) => name),
        "app.weather"
      )
      other.answer("ok")
      yield* host.request("resume_session", { sessionId: first, tools: [weather] } as never)
      yield* Effect.forkChild(send(first, "go"))
      assert.strictEqual((yield* model.next).request.tools.at(-1)?.name, "app.weather")
    })
  )

  it.effect.each([
    [[{ ...weather, name: "fs.read" }], "payload.tools[0].name: expected a name that no other tool has"],
    [[{ ...weather, name: "fs_read" }], "payload.tools[0].name: expected a name that no other tool has"],
    [
      [
        { ...weather, name: "a.b" },
        { ...weather, name: "a_b" }
      ],
      "payload.tools[1].name: expected a name that no other tool has, got a_b: there is a.b"
    ],
    [[{ ...weather, name: "ä" }], "payload.tools[0].name: expected 1 to 64 letters"],
    [[{ ...weather, parameters: { type: "array" } }], 'payload.tools[0].parameters.type: expected "object"'],
    [
      [{ ...weather, parameters: { type: "object", properties: { a: { type: "strange" } } } }],
      "payload.tools[0].parameters.properties.a.type: must be equal to one of the allowed values"
    ],
    [
      [weather, { ...weather, name: "b", parameters: { type: "object", properties: { a: { $ref: "#/nowhere" } } } }],
      "payload.tools[1].parameters: can't resolve reference #/nowhere"
    ],
    [
      Array.from({ length: 129 }, (_, at) => ({ ...weather, name: `t${at}` })),
      "payload.tools: expected at most 128 tools"
    ],
    [[{ ...weather, description: "x".repeat(300_000) }], "payload.tools: expected at most 262144 bytes"],
    [{ name: "x" }, "payload.tools: expected array, got object"]
  ] as const)("that are wrong refuse the start, naming the place: %j", ([tools, message]) =>
    Effect.gen(function* () {
      const { host, session } = yield* granted
      const sessionId = yield* session
      assert.include(errorOf(yield* host.post("start_session", { workingDir: ".", tools })), message)
      assert.isNotNull((yield* host.request("get_session", { sessionId })).payload)
    })
  )

  it.effect("are ignored where the host does not have the extension", () =>
    Effect.gen(function* () {
      const { host, model, send } = yield* stage()
      const response = yield* host.post("start_session", { workingDir: ".", tools: [weather, 5] })
      const { sessionId } = response.payload as { sessionId: string }
      yield* Effect.forkChild(send(sessionId, "go"))
      assert.notInclude(
        (yield* model.next).request.tools.map(({ name }) => name),
        "app.weather"
      )
    })
  )
})
