import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as GatedModel from "../../src/testing/GatedModel.ts"
import { type Setup, stage } from "../support/Sidecar.ts"

const granted = (setup: Setup = {}) =>
  Effect.map(
    Effect.tap(stage(setup), ({ host }) => host.request("hello", { extensions: ["options", "sessions"] })),
    (on) => ({
      ...on,
      start: (options: unknown) =>
        Effect.map(on.host.post("start_session", { workingDir: ".", options }), (response) => {
          if (!response.ok) return assert.fail(response.error.message)
          return (response.payload as { sessionId: string }).sessionId
        }),
      set: (sessionId: string, options: unknown) => on.host.post("set_options", { sessionId, options })
    })
  )

const defaults = {
  thinking: "auto",
  approvalLevel: 1,
  maxSteps: 25,
  completionMaxTokens: 16384,
  disabledTools: []
}

const errorOf = (response: unknown) =>
  (response as { readonly error?: { readonly message: string } }).error?.message ?? assert.fail("no error")

describe("contract 9, options", () => {
  it.effect("are those of the configuration, then those of the start, then those that are set", () =>
    Effect.gen(function* () {
      const { set, start } = yield* granted({ config: { stateDir: "/nonexistent/state", agent: { maxSteps: 9 } } })
      const sessionId = yield* start({ thinking: "off", temperature: 0.5 })
      const first = { ...defaults, maxSteps: 9, thinking: "off", temperature: 0.5 }
      assert.deepStrictEqual((yield* set(sessionId, {})).payload, { options: first })
      const second = { ...first, model: "tiny", maxSteps: 3 }
      assert.deepStrictEqual((yield* set(sessionId, { model: "tiny", maxSteps: 3 })).payload, { options: second })
    })
  )

  it.effect("go back to the configuration with null", () =>
    Effect.gen(function* () {
      const { set, start } = yield* granted()
      const sessionId = yield* start({ thinking: "off", temperature: 0.5, model: "tiny" })
      const reset = { thinking: null, temperature: null, model: null }
      assert.deepStrictEqual((yield* set(sessionId, reset)).payload, { options: defaults })
    })
  )

  it.effect("reach the model with the next call", () =>
    Effect.gen(function* () {
      const { model, send, set, start } = yield* granted()
      const sessionId = yield* start({ model: "one" })
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const first = yield* model.next
      assert.strictEqual(first.request.options?.model, "one")
      yield* set(sessionId, { model: "two", thinking: "on", completionMaxTokens: 7 })
      first.finish([GatedModel.toolCall("fs.list", { path: "docs" })])
      const second = yield* model.next
      assert.deepInclude(second.request.options, { model: "two", thinking: "on", completionMaxTokens: 7 })
      second.answer("done")
      yield* Fiber.join(sent)
    })
  )

  it.effect("change what is asked from the next question on; what waits goes on waiting", () =>
    Effect.gen(function* () {
      const { host, model, send, set, start } = yield* granted()
      const sessionId = yield* start({})
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const write = (path: string) => GatedModel.toolCall("shell.run", { command: `true > /dev/null; echo ${path}` })
      ;(yield* model.next).finish([write("a"), write("b")])
      const { payload } = yield* host.event("approval_request")
      yield* set(sessionId, { approvalLevel: 5 })
      assert.notInclude(
        host.frames.map((frame) => (frame.kind === "event" ? frame.type : "")),
        "tool_call_result"
      )
      yield* host.request("approval_response", { approvalId: payload.approvalId, approved: false })
      ;(yield* model.next).answer("done")
      yield* Fiber.join(sent)
      const asked = host.frames.filter((frame) => frame.kind === "event" && frame.type === "approval_request")
      assert.lengthOf(asked, 1)
    })
  )

  it.effect("count steps from the next turn on", () =>
    Effect.gen(function* () {
      const { model, send, set, start } = yield* granted()
      const sessionId = yield* start({ maxSteps: 2 })
      const [first, second] = [
        yield* Effect.forkChild(send(sessionId, "one")),
        yield* Effect.forkChild(send(sessionId, "two"))
      ]
      const look = [GatedModel.toolCall("fs.list", { path: "docs" })]
      const call = yield* model.next
      yield* set(sessionId, { maxSteps: 1 })
      call.finish(look)
      ;(yield* model.next).answer("1")
      assert.deepInclude(yield* Fiber.join(first), { reason: "reply", stepCount: 2 })
      ;(yield* model.next).finish(look)
      assert.deepInclude(yield* Fiber.join(second), { reason: "max_steps", stepCount: 3 })
    })
  )

  it.effect("are a session's own: another has the configuration's, and a resumed one too", () =>
    Effect.gen(function* () {
      const { host, set, start } = yield* granted()
      const one = yield* start({ maxSteps: 2 })
      const two = yield* start({})
      assert.deepInclude((yield* set(two, {})).payload, { options: defaults })
      yield* host.request("resume_session", { sessionId: one })
      assert.deepInclude((yield* set(one, {})).payload, { options: defaults })
    })
  )

  it.effect.each([
    [{ thinking: "maybe" }, "payload.options.thinking: expected"],
    [{ approvalLevel: 6 }, "payload.options.approvalLevel: expected"],
    [{ maxSteps: 0 }, "payload.options.maxSteps: expected an integer ≥ 1"],
    [{ temperature: -1 }, "payload.options.temperature: expected a number from 0 to 10"],
    [{ model: " " }, "payload.options.model: expected a string that is not blank"],
    [[], "payload.options: expected object, got array"]
  ] as const)("that are wrong refuse a start before it touches the session that is there: %j", ([options, message]) =>
    Effect.gen(function* () {
      const { host, set, start } = yield* granted()
      const sessionId = yield* start({})
      const refused = yield* host.post("start_session", { workingDir: ".", options })
      assert.include(errorOf(refused), message)
      assert.isTrue((yield* set(sessionId, {})).ok)
      assert.include(errorOf(yield* set(sessionId, options)), message)
    })
  )

  it.effect("that belong to the beginning of a session are refused later, by name", () =>
    Effect.gen(function* () {
      const { set, start } = yield* granted()
      const sessionId = yield* start({ instructions: "Be brief.", disabledTools: ["http.request"] })
      for (const options of [{ instructions: "x" }, { disabledTools: [] }]) {
        const message = errorOf(yield* set(sessionId, options))
        assert.strictEqual(
          message,
          `payload.options.${Object.keys(options)[0]}: can only be given when a session begins`
        )
      }
    })
  )

  it.effect("make the beginning of the prompt", () =>
    Effect.gen(function* () {
      const { model, send, start } = yield* granted({
        config: { stateDir: "/nonexistent/state", agent: { instructions: "Be long." } }
      })
      const sessionId = yield* start({ instructions: "Be brief.", disabledTools: ["http.request", "fs_write"] })
      yield* Effect.forkChild(send(sessionId, "go"))
      const { request } = yield* model.next
      assert.isTrue(request.system.endsWith("Be brief."))
      const names = request.tools.map(({ name }) => name)
      assert.include(names, "fs.read")
      assert.notInclude(names, "http.request")
      assert.notInclude(names, "fs.write")
    })
  )

  it.effect("that name a tool that is not there refuse the start", () =>
    Effect.gen(function* () {
      const { host } = yield* granted()
      const options = { disabledTools: ["fs.read", "fs.fly"] }
      const refused = errorOf(yield* host.post("start_session", { workingDir: ".", options }))
      assert.include(refused, 'payload.options.disabledTools[1]: expected the name of a tool, got "fs.fly"')
    })
  )

  it.effect("are ignored, whatever they hold, where the host does not have the extension", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const response = yield* host.post("start_session", { workingDir: ".", options: { thinking: "often" } })
      assert.isTrue(response.ok)
      const sessionId = yield* session
      yield* Effect.forkChild(send(sessionId, "go"))
      assert.deepInclude((yield* model.next).request.options, { thinking: "auto" })
    })
  )

  it.effect("of a session that is not open cannot be set", () =>
    Effect.gen(function* () {
      const { set } = yield* granted()
      assert.include(errorOf(yield* set("s-x", {})), "no active session with id s-x")
    })
  )
})

describe("contract 9, list_models", () => {
  it.effect("lists what the server has; none for a model that is no server", () =>
    Effect.gen(function* () {
      const { host, session } = yield* granted()
      yield* session
      assert.deepStrictEqual((yield* host.request("list_models")).payload, { models: [] })
    })
  )
})
