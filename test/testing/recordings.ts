import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { LlamaError, Cut } from "../../src/llama/LlamaError.ts"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { SentRequest } from "../../src/testing/ContractChecker.ts"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { type Stage, stage } from "../support/Sidecar.ts"
import { gatedTool } from "../support/Tools.ts"

/** What a host sent and what it read, from the first frame to the last. */
export interface Recording {
  readonly frames: ReadonlyArray<SidecarFrame>
  readonly requests: ReadonlyArray<SentRequest>
}

export const extensions = ["llm_progress", "llm_state", "approval_resolved", "queue", "sessions"]
const usage = { promptTokens: 10, cachedTokens: 4, completionTokens: 3 }

/** Plays a scene on a real sidecar and writes down what crossed the pipe. */
const record = (
  scene: (
    on: Stage & { readonly tools: Tools; steer(sessionId: string, text: string): Effect.Effect<unknown> }
  ) => Effect.Effect<void>
): Effect.Effect<Recording> =>
  Effect.gen(function* () {
    const tools = { read: gatedTool("read"), write: gatedTool("write", { category: "shell" }) }
    const on = yield* stage({ tools: [tools.read.tool, tools.write.tool] })
    const steer = (sessionId: string, text: string) => on.host.request("steer_message", { sessionId, text })
    yield* scene({ ...on, tools, steer })
    yield* on.host.end
    // Figures have no place in the order.
    const frames = on.host.frames.filter((frame) => frame.kind === "response" || frame.type !== "metric")
    return { frames, requests: [...on.host.requests] }
  }).pipe(Effect.scoped)

interface Tools {
  readonly read: ReturnType<typeof gatedTool>
  readonly write: ReturnType<typeof gatedTool>
}

/** Reasoning, words, a reply; and a second turn behind it. */
const reply = record(({ model, send, session }) =>
  Effect.gen(function* () {
    const sessionId = yield* session
    const first = yield* Effect.forkChild(send(sessionId, "hi"))
    const second = yield* Effect.forkChild(send(sessionId, "and now?"))
    const call = yield* model.next
    call.think("hm")
    call.say("Hello")
    call.finish([], usage)
    yield* Fiber.join(first)
    ;(yield* model.next).answer("Now this.")
    yield* Fiber.join(second)
  })
)

/** Two reads side by side, then a call that asks; a steer on the way; everything that a host can ask to see. */
const work = record(({ host, model, send, session, steer, tools }) =>
  Effect.gen(function* () {
    yield* host.request("hello", { extensions })
    const sessionId = yield* session
    const sent = yield* Effect.forkChild(send(sessionId, "work"))
    const first = yield* model.next
    first.emit({ _tag: "Prefill", processed: 5, total: 20, cached: 5 })
    first.say("I look.")
    first.finish([toolCall("read", { value: 1 }), toolCall("read", { value: 2 })], usage)
    for (const text of ["one", "two"]) (yield* tools.read.next).finish(text)
    yield* model.next.pipe(
      Effect.tap(() => steer(sessionId, "in French")),
      Effect.tap((call) => Effect.sync(() => call.finish([toolCall("write", { value: 3 })], usage)))
    )
    const { approvalId } = (yield* host.event("approval_request")).payload
    yield* host.request("approval_response", { approvalId, approved: true })
    ;(yield* tools.write.next).finish("written")
    ;(yield* model.next).answer("Voilà.")
    yield* Fiber.join(sent)
  })
)

/** A call, an answer without a word, and another call. */
const silence = record(({ model, send, session, tools }) =>
  Effect.gen(function* () {
    const sent = yield* Effect.forkChild(send(yield* session, "work"))
    ;(yield* model.next).finish([toolCall("read")], usage)
    ;(yield* tools.read.next).finish("one")
    ;(yield* model.next).finish([], usage)
    ;(yield* model.next).finish([toolCall("read", { value: 2 })], usage)
    ;(yield* tools.read.next).finish("two")
    ;(yield* model.next).answer("Both.")
    yield* Fiber.join(sent)
  })
)

/** A cancel in the middle of an open approval, with steers unread and a message waiting; then the next message. */
const cancel = record(({ host, model, send, session, steer }) =>
  Effect.gen(function* () {
    yield* host.request("hello", { extensions: ["approval_resolved"] })
    const sessionId = yield* session
    const running = yield* Effect.forkChild(send(sessionId, "work"))
    const waiting = yield* Effect.forkChild(send(sessionId, "later"))
    ;(yield* model.next).finish([toolCall("write"), toolCall("read")])
    yield* host.event("approval_request")
    yield* steer(sessionId, "faster")
    yield* host.request("cancel", { sessionId })
    yield* Fiber.joinAll([running, waiting])
    const next = yield* Effect.forkChild(send(sessionId, "again"))
    ;(yield* model.next).answer("Here.")
    yield* Fiber.join(next)
  })
)

/** A cut stream, then a turn that runs out of steps, then one that calls `finish`. */
const ends = record(({ model, send, session }) =>
  Effect.gen(function* () {
    const sessionId = yield* session
    const failing = yield* Effect.forkChild(send(sessionId, "fail"))
    const call = yield* model.next
    call.say("half a")
    call.fail(new LlamaError({ reason: new Cut({ detail: "the connection was lost" }) }))
    yield* Fiber.join(failing)
    const stopping = yield* Effect.forkChild(send(sessionId, "stop", 1))
    ;(yield* model.next).finish([toolCall("read")])
    yield* Fiber.join(stopping)
    const finishing = yield* Effect.forkChild(send(sessionId, "finish"))
    ;(yield* model.next).finish([toolCall("finish", { summary: "All is done." })])
    yield* Fiber.join(finishing)
  })
)

/** A second session, the first one again, and requests that cannot be served. */
const sessions = record(({ host, model, send, session }) =>
  Effect.gen(function* () {
    yield* host.request("hello", { extensions: ["sessions", "queue"] })
    const first = yield* session
    const sent = yield* Effect.forkChild(send(first, "hi"))
    ;(yield* model.next).answer("Hello.")
    yield* Fiber.join(sent)
    const second = yield* session
    yield* send(first, "are you there?")
    yield* host.post("no_such_request")
    host.write("{oops\n")
    const other = yield* Effect.forkChild(send(second, "hi"))
    const call = yield* model.next
    const waiting = yield* Effect.forkChild(send(second, "later"))
    const queued = yield* host.event("turn_queued", (frame) => frame.payload.position === 1)
    yield* host.request("unqueue", { sessionId: second, turnId: queued.payload.turnId })
    yield* Fiber.join(waiting)
    call.answer("Hello too.")
    yield* Fiber.join(other)
    yield* host.request("resume_session", { sessionId: first })
    const again = yield* Effect.forkChild(send(first, "again"))
    ;(yield* model.next).answer("Again.")
    yield* Fiber.join(again)
    yield* host.request("fork_session", { sessionId: first })
    yield* host.request("shutdown")
  })
)

/** Two sessions whose turns cross, one of which is closed in the middle. */
const sideBySide = record(({ host, model, send, session, steer }) =>
  Effect.gen(function* () {
    yield* host.request("hello", { extensions: ["parallel_sessions"] })
    const [first, second] = [yield* session, yield* session]
    const sent = yield* Effect.forkChild(send(first, "hi"))
    const slow = yield* model.next
    const other = yield* Effect.forkChild(send(second, "hi"))
    const quick = yield* model.next
    yield* steer(second, "briefly")
    quick.finish([toolCall("fs.list", { path: "docs" })])
    ;(yield* model.next).answer("Hi.")
    yield* Fiber.join(other)
    const cut = yield* Effect.forkChild(send(second, "and now?"))
    yield* model.next
    yield* host.request("close_session", { sessionId: second })
    yield* Fiber.join(cut)
    slow.answer("Hello.")
    yield* Fiber.join(sent)
  })
)

export const recordings = { reply, work, silence, cancel, ends, sessions, sideBySide }
