import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import {
  Cut,
  LlamaError,
  Loading,
  Malformed,
  Overflow,
  Rejected,
  Stalled,
  Unreachable
} from "../../src/llama/LlamaError.ts"
import type { EventPayload } from "../../src/protocol/Event.ts"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { StepCategory } from "../../src/protocol/SessionState.ts"
import type { ModelToolCall } from "../../src/llama/LlamaClient.ts"
import { type ModelCall, toolCall } from "../../src/testing/GatedModel.ts"
import { type Stage, stage, types } from "../support/Sidecar.ts"
import { gatedTool } from "../support/Tools.ts"

const unusable = (name: string, raw: string): ModelToolCall => ({
  name,
  args: { _tag: "Unusable", raw, why: "no JSON object" }
})

const replies = ({ host }: Stage) =>
  host.frames.flatMap((frame) =>
    frame.kind === "event" && frame.type === "assistant_reply" ? [frame.payload.text] : []
  )

const statusOf = ({ host }: Stage, sessionId: string) =>
  Effect.map(host.request("get_session", { sessionId }), (response) => {
    const { lastError, status } = response.payload as { status: string; lastError: string | null }
    return { status, lastError }
  })

describe("contract 6, reply and finish", () => {
  it.effect("ends with finish after the siblings have run, the summary as the closing reply", () =>
    Effect.gen(function* () {
      const theatre = yield* stage()
      const { host, model, send, session } = theatre
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("finish", { summary: "All done." }), toolCall("fs.list", { path: "." })])
      assert.deepStrictEqual(yield* Fiber.join(sent), { reason: "finish", turnCount: 1, stepCount: 1 })
      const results = host.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "tool_call_result" ? [frame.payload.tool] : []
      )
      assert.deepStrictEqual(results, ["fs.list", "finish"])
      assert.deepStrictEqual(replies(theatre), ["All done."])
      assert.notInclude(types(host.frames), "assistant_delta")
      assert.deepStrictEqual((yield* host.event("session_completed")).payload.reason, "finish")
      assert.deepStrictEqual(yield* statusOf(theatre, sessionId), { status: "completed", lastError: null })
    })
  )

  it.effect("tells the model that a finish needs a summary, and goes on", () =>
    Effect.gen(function* () {
      const theatre = yield* stage()
      const { model, send, session } = theatre
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("finish", { summary: " " })])
      const second = yield* model.next
      assert.deepInclude(second.request.history.at(-1), { kind: "tool_result", status: "error" })
      second.answer("Done.")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply" })
      assert.deepStrictEqual(replies(theatre), ["Done."])
    })
  )

  it.effect("takes another step after finish where a steer waits", () =>
    Effect.gen(function* () {
      const theatre = yield* stage()
      const { host, model, send, session } = theatre
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const first = yield* model.next
      yield* host.request("steer_message", { sessionId, text: "and tests" })
      first.finish([toolCall("finish", { summary: "Done." })])
      ;(yield* model.next).answer("With tests.")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply", stepCount: 2 })
      assert.deepStrictEqual(replies(theatre), ["Done.", "With tests."])
    })
  )
})

describe("contract 6, attachments", () => {
  it.effect("come with the closing reply, those of every call and every step", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "hand them over"))
      const attach = (...paths: ReadonlyArray<string>) => toolCall("attach", { paths })
      ;(yield* model.next).finish([attach("package.json", "README.md"), attach("tsconfig.json")])
      const second = yield* model.next
      second.say("And one more.")
      second.finish([attach("vitest.config.ts")])
      // A call that hands nothing over takes nothing away.
      ;(yield* model.next).finish([toolCall("fs.list", { path: "test" })])
      ;(yield* model.next).answer("Here.")
      yield* Fiber.join(sent)
      const isReply = (frame: SidecarFrame) => frame.kind === "event" && frame.type === "assistant_reply"
      const given = host.frames.filter(isReply).map(({ payload }) => payload as EventPayload<"assistant_reply">)
      assert.deepStrictEqual(
        given.map(({ attachments = [], text }) => [text, ...attachments.toSorted()]),
        [
          ["And one more."],
          ["Here.", ...["README.md", "package.json", "tsconfig.json", "vitest.config.ts"].map((at) => Path.resolve(at))]
        ]
      )
    })
  )

  it.effect("are those of their own turn", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const first = yield* Effect.forkChild(send(sessionId, "hand it over"))
      ;(yield* model.next).finish([toolCall("attach", { paths: ["package.json"] })])
      ;(yield* model.next).answer("Here.")
      yield* Fiber.join(first)
      const second = yield* Effect.forkChild(send(sessionId, "thanks"))
      ;(yield* model.next).answer("Welcome.")
      yield* Fiber.join(second)
      const last = yield* host.event("assistant_reply", ({ payload }) => payload.text === "Welcome.")
      assert.notProperty(last.payload, "attachments")
    })
  )
})

describe("contract 6, max_steps", () => {
  it.effect("offers the same tools in the last step, with a notice that none will be run", () =>
    Effect.gen(function* () {
      const theatre = yield* stage()
      const { model, send, session } = theatre
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go", 2))
      const first = yield* model.next
      first.finish([toolCall("fs.list", { path: "." })])
      const last = yield* model.next
      assert.deepStrictEqual(last.request.tools, first.request.tools)
      const notice = last.request.history.at(-1)
      assert.strictEqual(notice?.kind, "notice")
      last.answer("In sum")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply", stepCount: 2 })
      assert.deepStrictEqual(replies(theatre), ["In sum"])
      const next = yield* Effect.forkChild(send(sessionId, "more"))
      const call = yield* model.next
      assert.include(call.request.history, notice)
      call.answer("ok")
      yield* Fiber.join(next)
    })
  )

  it.effect.each<readonly [string, string, RegExp]>([
    ["its text", "I would look further.", /^I would look further\.$/],
    ["one fixed sentence", "", /after 1 step.*another message.*continue/]
  ])("ends a turn that still asks for tools with %s", ([, text, expected]) =>
    Effect.gen(function* () {
      const theatre = yield* stage()
      const { host, model, send, session } = theatre
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go", 1))
      const call = yield* model.next
      if (text !== "") call.say(text)
      call.finish([toolCall("fs.list", { path: "." })])
      assert.deepStrictEqual(yield* Fiber.join(sent), { reason: "max_steps", turnCount: 1, stepCount: 1 })
      assert.match(replies(theatre).join("|"), expected)
      assert.notInclude(types(host.frames), "tool_call_started")
      assert.deepStrictEqual(yield* statusOf(theatre, sessionId), { status: "stalled", lastError: null })
    })
  )

  it.effect("ends with finish where the last step holds one, and runs nothing beside it", () =>
    Effect.gen(function* () {
      const theatre = yield* stage()
      const { host, model, send, session } = theatre
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go", 1))
      ;(yield* model.next).finish([toolCall("fs.list", { path: "." }), toolCall("finish", { summary: "Sum." })])
      assert.deepInclude(yield* Fiber.join(sent), { reason: "finish" })
      assert.strictEqual(types(host.frames).filter((type) => type === "tool_call_started").length, 1)
      assert.deepStrictEqual(replies(theatre), ["Sum."])
    })
  )
})

describe("contract 6, answers that neither say nor ask for anything", () => {
  /** Plays a turn; the notices that each model call was sent. */
  const noticed = (calls: ReadonlyArray<(call: ModelCall) => void>, maxSteps?: number) =>
    Effect.gen(function* () {
      const theatre = yield* stage()
      const { model, send, session } = theatre
      const sent = yield* Effect.forkChild(send(yield* session, "go", maxSteps))
      const notices: Array<string> = []
      for (const say of calls) {
        const call = yield* model.next
        const last = call.request.history.at(-1)
        notices.push(last?.kind === "notice" ? last.text : "")
        say(call)
      }
      const result = (yield* Fiber.join(sent)) as { readonly reason: string }
      return { notices, reason: result.reason, replies: replies(theatre) }
    })

  const list = (call: ModelCall) => call.finish([toolCall("fs.list", { path: "." })])
  const silent = (call: ModelCall) => call.finish()
  const thinks = (call: ModelCall) => {
    call.think("hm")
    call.finish()
  }
  const says = (text: string) => (call: ModelCall) => call.answer(text)
  const inText = '{"name": "fs_list", "arguments": {"path": "."}}'

  it.effect.each<readonly [string, ReadonlyArray<(call: ModelCall) => void>, ReadonlyArray<RegExp>, string]>([
    ["silence after a result", [list, silent, says("ok")], [/^$/, /^$/, /no word/], "reply"],
    ["silence after two results", [list, list, silent, list, says("ok")], [/^$/, /^$/, /^$/, /no word/, /^$/], "reply"],
    ["silence twice", [list, silent, silent], [/^$/, /^$/, /no word/], "failed"],
    ["silence again, later", [list, silent, list, silent], [/^$/, /^$/, /no word/, /^$/], "failed"],
    ["thoughts alone", [thinks, says("ok")], [/^$/, /no word/], "reply"],
    ["silence at once", [silent], [/^$/], "failed"],
    ["a call in text", [says(inText), list, says("ok")], [/^$/, /as text/, /^$/], "reply"],
    ["a call in text, twice", [says(inText), says(inText)], [/^$/, /as text/], "reply"],
    ["a call in text, then silence", [says(inText), silent, says("ok")], [/^$/, /as text/, /no word/], "reply"]
  ])("tells the model once of %s", ([, calls, expected, reason]) =>
    Effect.gen(function* () {
      const played = yield* noticed(calls)
      assert.strictEqual(played.reason, reason)
      assert.lengthOf(played.notices, expected.length)
      for (const [at, notice] of played.notices.entries()) assert.match(notice, expected[at]!)
    })
  )

  it.effect("takes a call in text for a reply on the last step, and says nothing of it before that one", () =>
    Effect.gen(function* () {
      const one = yield* noticed([says(inText)], 1)
      assert.deepStrictEqual([one.reason, one.replies], ["reply", [inText]])
      const two = yield* noticed([says(inText), says("ok")], 2)
      assert.match(two.notices[1]!, /^\[This was the last step/)
      assert.deepStrictEqual([two.reason, two.replies], ["reply", [inText, "ok"]])
      const silence = yield* noticed([list, silent], 2)
      assert.strictEqual(silence.reason, "failed")
    })
  )

  it.effect("tells of it behind a steer that came meanwhile", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const first = yield* model.next
      yield* host.request("steer_message", { sessionId, text: "in French" })
      first.answer(inText)
      const second = yield* model.next
      const kinds = second.request.history.map(({ kind }) => kind)
      assert.deepStrictEqual(kinds, ["user", "assistant_reply", "user", "notice"])
      second.answer("oui")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply", stepCount: 2 })
    })
  )

  it.effect("does not show the notice to the host", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).answer(inText)
      ;(yield* model.next).answer("ok")
      yield* Fiber.join(sent)
      const { turns } = (yield* host.request("get_session", { sessionId })).payload as {
        turns: Array<{ kind: string }>
      }
      assert.deepStrictEqual(
        turns.map(({ kind }) => kind),
        ["user", "assistant_reply", "assistant_reply"]
      )
      assert.notInclude(host.output, "as text")
    })
  )
})

describe("contract 6, failed", () => {
  it.effect.each<readonly [string, LlamaError["reason"], StepCategory]>([
    ["nobody answers", new Unreachable({ detail: "connect refused" }), "transport"],
    ["loading takes too long", new Loading({ detail: "Loading model" }), "transport"],
    ["a 500", new Rejected({ status: 500, detail: "boom" }), "transport"],
    ["a 401", new Rejected({ status: 401, detail: "Invalid API Key" }), "transport"],
    ["a 404", new Rejected({ status: 404, detail: "File Not Found" }), "transport"],
    ["an error inside the stream", new Rejected({ status: 200, detail: "got exception" }), "transport"],
    ["a 400", new Rejected({ status: 400, detail: "failed to parse grammar" }), "grammar"],
    ["a 422", new Rejected({ status: 422, detail: "unprocessable" }), "grammar"],
    ["HTML", new Malformed({ detail: "expected JSON, got HTML" }), "transport"],
    ["a cut stream", new Cut({ detail: "the stream was cut" }), "transport"],
    ["silence", new Stalled({ silentMs: 300_000, detail: "silent" }), "transport"],
    ["an overflow", new Overflow({ detail: "Context size has been exceeded." }), "model"]
  ])("fails a turn on %s, with the server's words, and serves the next", ([, reason, category]) =>
    Effect.gen(function* () {
      const theatre = yield* stage()
      const { host, model, send, session } = theatre
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const call = yield* model.next
      call.say("half")
      yield* host.event("assistant_delta")
      call.fail(new LlamaError({ reason }))
      assert.deepStrictEqual(yield* Fiber.join(sent), { reason: "failed", turnCount: 1, stepCount: 1 })
      const error = yield* host.event("error")
      assert.deepInclude(error.payload, { code: `step_error:${category}`, message: reason.message, sessionId })
      assert.isString(error.payload.stack)
      assert.deepInclude((yield* host.event("session_failed")).payload, { error: reason.message, category })
      assert.notInclude(types(host.frames), "step_finished")
      assert.deepStrictEqual(replies(theatre), [])
      assert.deepStrictEqual(yield* statusOf(theatre, sessionId), { status: "failed", lastError: reason.message })
      const next = yield* Effect.forkChild(send(sessionId, "again"))
      const second = yield* model.next
      assert.isTrue(second.request.history.some((entry) => entry.kind === "assistant_reply" && entry.interrupted))
      second.answer("ok")
      assert.deepInclude(yield* Fiber.join(next), { reason: "reply", turnCount: 2 })
    })
  )

  it.effect("fails on an empty answer at once, on reasoning alone the second time", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      for (const think of [false, true]) {
        const sent = yield* Effect.forkChild(send(sessionId, "go"))
        if (think) {
          const first = yield* model.next
          first.think("hm")
          first.finish()
        }
        const call = yield* model.next
        if (think) call.think("hm")
        call.finish()
        assert.deepInclude(yield* Fiber.join(sent), { reason: "failed" })
      }
      assert.deepInclude((yield* host.event("error")).payload, { code: "step_error:model" })
    })
  )

  it.effect("hands unusable calls back once, announced with their raw text, and then fails as grammar", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([unusable("fs.list", '{"path": ')])
      const second = yield* model.next
      assert.deepInclude(second.request.history.at(-1), { kind: "tool_result", status: "error" })
      second.finish([unusable("fs.read", "[1]")])
      assert.deepStrictEqual(yield* Fiber.join(sent), { reason: "failed", turnCount: 1, stepCount: 2 })
      assert.strictEqual((yield* host.event("tool_call_started")).payload.args, '{"path": ')
      assert.deepInclude((yield* host.event("error")).payload, { code: "step_error:grammar" })
    })
  )

  it.effect("goes on after one step of unusable calls", () =>
    Effect.gen(function* () {
      const { model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([unusable("fs.list", "x")])
      ;(yield* model.next).finish([toolCall("fs.list", { path: "." })])
      ;(yield* model.next).finish([unusable("fs.list", "x")])
      ;(yield* model.next).answer("ok")
      assert.deepInclude(yield* Fiber.join(sent), { reason: "reply", stepCount: 4 })
    })
  )

  it.effect("makes a tool's failure a result, and a tool's defect a failed step of category tool", () =>
    Effect.gen(function* () {
      const odd = gatedTool("odd")
      const { host, model, send, session } = yield* stage({ tools: [odd.tool] })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("odd")])
      ;(yield* odd.next).fail("no such thing")
      const second = yield* model.next
      assert.deepInclude(second.request.history.at(-1), {
        kind: "tool_result",
        status: "error",
        summary: "no such thing"
      })
      second.finish([toolCall("odd"), toolCall("fs.list", { path: "." })])
      ;(yield* odd.next).die(new Error("bug in a tool"))
      assert.deepInclude(yield* Fiber.join(sent), { reason: "failed", stepCount: 2 })
      assert.deepInclude((yield* host.event("error")).payload, { code: "step_error:tool", message: "bug in a tool" })
      const next = yield* Effect.forkChild(send(sessionId, "again"))
      ;(yield* model.next).answer("ok")
      assert.deepInclude(yield* Fiber.join(next), { reason: "reply" })
    })
  )

  it.effect("survives a defect of the model client", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).die(new TypeError("x is not a function"))
      assert.deepInclude(yield* Fiber.join(sent), { reason: "failed" })
      assert.deepInclude((yield* host.event("error")).payload, {
        code: "step_error:tool",
        message: "x is not a function"
      })
    })
  )

  it.effect("refuses two calls in turn that gave the same results four times", () =>
    Effect.gen(function* () {
      const { model, send, session } = yield* stage()
      const sent = yield* Effect.forkChild(send(yield* session, "go"))
      const reads = ["tsconfig.json", "vitest.config.ts"].map((path) => toolCall("fs.read", { path }))
      for (let index = 0; index < 10; index++) (yield* model.next).finish([reads[index % 2]!])
      const last = yield* model.next
      const results = last.request.history.flatMap((entry) => (entry.kind === "tool_result" ? [entry.status] : []))
      assert.deepStrictEqual(results, [...Array.from({ length: 8 }, () => "ok"), "error", "error"])
      last.answer("I give up")
      yield* Fiber.join(sent)
    })
  )

  it.effect("refuses the fifth call in a row that gives the same result", () =>
    Effect.gen(function* () {
      const { model, send, session } = yield* stage()
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      for (let index = 0; index < 6; index++)
        (yield* model.next).finish([toolCall("fs.read", { path: "tsconfig.json" })])
      const last = yield* model.next
      const results = last.request.history.flatMap((entry) => (entry.kind === "tool_result" ? [entry.status] : []))
      assert.deepStrictEqual(results, ["ok", "ok", "ok", "ok", "error", "error"])
      last.answer("I give up")
      yield* Fiber.join(sent)
    })
  )
})
