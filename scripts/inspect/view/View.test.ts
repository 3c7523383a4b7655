import { assert, describe, it } from "@effect/vitest"
import { take } from "./Take.ts"
import { asking, empty, limits, queued, running, type View } from "./View.ts"
import {
  answers,
  asks,
  begins,
  call,
  conversation,
  ends,
  event,
  type Line,
  refuses,
  rowsOf,
  tells,
  turnOf
} from "./ConversationFixture.ts"

const approval = (more: object = {}) =>
  call("approval_request", "c-1", "fs.write", {
    approvalId: "a-1",
    category: "fs_write_workspace",
    reason: "write a",
    preview: "+a",
    affectedResources: ["/w/a"],
    ...more
  })
const writes = call("tool_call_started", "c-1", "fs.write", { args: { path: "a" } })

const rows: ReadonlyArray<[name: string, lines: ReadonlyArray<Line>, rows: ReadonlyArray<string>]> = [
  ["a step", [...begins()], ["step 0 …"]],
  [
    "thinking and text as they stream, each in one row",
    [
      ...begins(),
      tells("reasoning_delta", { stepIndex: 0, text: "so" }),
      tells("reasoning_delta", { stepIndex: 0, text: " so" }),
      tells("assistant_delta", { text: "Hel" }),
      tells("assistant_delta", { text: "lo" })
    ],
    ["step 0 …", "thinking: so so", "text …: Hello"]
  ],
  [
    "a reply once, though it comes in deltas and as a whole",
    [
      ...begins(),
      tells("assistant_delta", { text: "\n Hel" }),
      tells("assistant_delta", { text: "lo" }),
      tells("llm_response", { completionTokens: 2, durationMs: 3 }),
      tells("assistant_reply", { text: "Hello" }),
      tells("step_finished", { stepIndex: 0, tokensUsed: 9, durationMs: 5 })
    ],
    ["step 0", "reply: Hello"]
  ],
  [
    "a reply that did not stream",
    [...begins(), tells("assistant_reply", { text: "Done." })],
    ["step 0 …", "reply: Done."]
  ],
  [
    "a reply that is another than what streamed behind that",
    [...begins(), tells("assistant_delta", { text: "I look." }), tells("assistant_reply", { text: "Found." })],
    ["step 0 …", "text: I look.", "reply: Found."]
  ],
  [
    "a note of one step and the same words in the next apart",
    [
      ...begins(),
      tells("assistant_delta", { text: "Look" }),
      tells("assistant_reply", { text: "Look", progressNote: true }),
      tells("step_started", { stepIndex: 1 }),
      tells("assistant_delta", { text: "Look" }),
      tells("assistant_reply", { text: "Look" })
    ],
    ["step 0 …", "note: Look", "step 1 …", "reply: Look"]
  ],
  [
    "calls of a batch with their results, whichever order they come in",
    [
      ...begins(),
      call("tool_call_started", "c-1", "fs.list", { args: { path: ".", limit: 2 } }),
      call("tool_call_started", "c-2", "fs.read", { args: "no JSON" }),
      call("tool_call_result", "c-2", "fs.read", { status: "error", summary: "not read" }),
      call("tool_call_result", "c-1", "fs.list", { status: "ok", summary: "a\nb" })
    ],
    ["step 0 …", `fs.list(path: ".", limit: 2) ok a\nb`, "fs.read(no JSON) error not read"]
  ],
  ["a question that is open", [...begins(), writes, approval()], ["step 0 …", `fs.write(path: "a") [open] …`]],
  [
    "a question that was answered, whether or not the extension tells so",
    [
      ...begins(),
      writes,
      approval(),
      asks("1", "approval_response", { approvalId: "a-1", approved: false, reason: "not today" }),
      answers("1", { resolved: true })
    ],
    ["step 0 …", `fs.write(path: "a") [denied] …`]
  ],
  [
    "a question that another answered",
    [...begins(), writes, approval(), tells("approval_resolved", { approvalId: "a-1", outcome: "approved" })],
    ["step 0 …", `fs.write(path: "a") [approved] …`]
  ],
  [
    "a question whose answer came too late as it was",
    [
      ...begins(),
      writes,
      approval(),
      asks("1", "approval_response", { approvalId: "a-1", approved: true }),
      answers("1", { resolved: false })
    ],
    ["step 0 …", `fs.write(path: "a") [open] …`]
  ],
  [
    "a question that a cancel withdrew, and a call without a result, as over",
    [...begins(), writes, approval(), tells("step_finished", { stepIndex: 0 }), ends("cancelled")],
    ["step 0", `fs.write(path: "a") [withdrawn] …`]
  ],
  [
    "a steer from its sending to its reading",
    [
      ...begins(),
      asks("1", "steer_message", { sessionId: "s-1", text: "in blue" }),
      answers("1", { steered: true }),
      tells("steer_applied", { text: "in blue", stepIndex: 1 })
    ],
    ["step 0 …", "steer applied: in blue"]
  ],
  [
    "steers that were not taken, are not read yet, and never will be",
    [
      ...begins(),
      asks("1", "steer_message", { sessionId: "s-1", text: "one" }),
      asks("2", "steer_message", { sessionId: "s-1", text: "two" }),
      asks("3", "steer_message", { sessionId: "s-1", text: "three" }),
      answers("1", { steered: false }),
      answers("2", { steered: true }),
      answers("3", { steered: true }),
      tells("steer_undelivered", { text: "three" })
    ],
    ["step 0 …", "steer refused: one", "steer accepted: two", "steer undelivered: three"]
  ],
  [
    "a steer that is applied before its answer is here",
    [
      ...begins(),
      asks("1", "steer_message", { sessionId: "s-1", text: "one" }),
      tells("steer_applied", { text: "one", stepIndex: 0 }),
      answers("1", { steered: true })
    ],
    ["step 0 …", "steer applied: one"]
  ],
  [
    "what failed once, though step and session tell it",
    [
      ...begins(),
      tells("error", { message: "the line is dead", code: "step_error:transport" }),
      tells("session_failed", { error: "the line is dead", category: "transport" }),
      ends("failed")
    ],
    ["step 0", "error: the line is dead"]
  ],
  ["an event of another release not at all", [...begins(), tells("trace", { deep: true })], ["step 0 …"]]
]

const blocks: ReadonlyArray<[name: string, lines: ReadonlyArray<Line>, blocks: ReadonlyArray<string>]> = [
  [
    "a request with its answer",
    [asks("1", "ping"), answers("1", { ok: true, version: "0.1.0" })],
    [`ping  → ok: true, version: "0.1.0"`]
  ],
  [
    "a request without an answer yet",
    [asks("1", "get_session", { sessionId: "s-1" })],
    [`get_session sessionId: "s-1" → …`]
  ],
  [
    "a request that failed",
    [asks("1", "start_session", { workingDir: "/no" }), refuses("1", "no folder")],
    [`start_session workingDir: "/no" → failed handler_failed: no folder`]
  ],
  [
    "a message that was not accepted",
    [asks("1", "send_message", { sessionId: "s-2", text: "Hi" }), refuses("1", "no active session")],
    ["send_message Hi → failed handler_failed: no active session"]
  ],
  [
    "a message that was cancelled while it waited",
    [asks("1", "send_message", { sessionId: "s-1", text: "Hi" }), answers("1", { reason: "cancelled" })],
    [`send_message Hi → reason: "cancelled"`]
  ],
  [
    "a steer of nothing",
    [asks("1", "steer_message", { sessionId: "s-1", text: "left" }), answers("1", { steered: false })],
    ["warn Nothing runs that could be steered: left"]
  ],
  [
    "an answer to a question that nobody asked",
    [asks("1", "approval_response", { approvalId: "a-9", approved: true }), answers("1", { resolved: false })],
    [`approval_response approvalId: "a-9", approved: true → resolved: false`]
  ],
  [
    "an error of no turn",
    [event("error", { message: "not JSON", code: "parse_error", stack: "{" })],
    ["error parse_error: not JSON\n{"]
  ],
  ["a log line", [event("log", { level: "warn", message: "slow", context: { ms: 5 } })], [`warn slow: {"ms":5}`]],
  ["no log line that only developers read", [event("log", { level: "debug", message: "slow" })], []],
  [
    "a model that is not there",
    [event("llm_unavailable", { url: "u", error: "refused", mode: "external", hint: "start it" })],
    ["warn No model: refused\nstart it"]
  ],
  ["an event of another release", [event("aurora", { colour: "green" })], [`info aurora: {"colour":"green"}`]],
  [
    "a line that is no JSON",
    [{ from: "sidecar", frame: "Segmentation fault" }],
    ["warn No frame, from the sidecar: Segmentation fault"]
  ],
  [
    "JSON that is no frame",
    [{ from: "sidecar", frame: { kind: "poem" } }],
    [`warn No frame of the protocol: {"kind":"poem"}`]
  ],
  ["an answer that nobody waits for not at all", [answers("9", {})], []]
]

const toldBlocks = (view: View): ReadonlyArray<string> =>
  view.blocks.map((block) => {
    if (block.kind === "turn") return `turn ${block.message.text}`
    if (block.kind === "notice") return `${block.level} ${block.title}: ${block.detail.text}`
    const answer = block.ok === undefined ? "…" : `${block.ok ? "" : "failed "}${block.answer}`
    return `${block.type} ${block.asked} → ${answer}`
  })

describe("a turn in the inspector shows", () => {
  for (const [name, lines, expected] of rows) {
    it(name, () => assert.deepStrictEqual(rowsOf(conversation(...lines)), expected))
  }
})

describe("between turns the inspector shows", () => {
  for (const [name, lines, expected] of blocks) {
    it(name, () => assert.deepStrictEqual(toldBlocks(conversation(...lines)), expected))
  }
})

describe("the view of a conversation", () => {
  it("knows when everything began and ended", () => {
    const view = conversation(
      asks("1", "send_message", { sessionId: "s-1", text: "Hello" }),
      10,
      ...begins(),
      20,
      writes,
      approval(),
      50,
      asks("2", "approval_response", { approvalId: "a-1", approved: true, reason: "go on" }),
      55,
      answers("2", { resolved: true }),
      60,
      call("tool_call_result", "c-1", "fs.write", { status: "ok", summary: "written" }),
      70,
      tells("step_finished", { stepIndex: 0, tokensUsed: 9, durationMs: 58 }),
      80,
      ends("reply"),
      answers("1", { reason: "reply", turnCount: 1, stepCount: 1 })
    )
    const turn = turnOf(view)
    const [step, write] = turn.rows
    assert.deepInclude(turn, { at: 1010, endedAt: 1080, durationMs: 70, reason: "reply", index: 0, stepCount: 1 })
    assert.deepInclude(step, { at: 1010, endedAt: 1070, durationMs: 58, tokens: 9 })
    assert.deepInclude(write, { at: 1020, endedAt: 1060 })
    assert.deepInclude(write?.kind === "call" && write.approval, { at: 1020, endedAt: 1055, note: "go on" })
    assert.deepStrictEqual(turn.frames, [[1, 12]])
    assert.deepStrictEqual(write?.frames, [[5, 9]])
    assert.deepStrictEqual([running(view), view.pending], [undefined, []])
  })

  it("says what waits: messages behind the running one, and questions", () => {
    const send = (id: string, text: string) => asks(id, "send_message", { sessionId: "s-1", text })
    const view = conversation(send("1", "Hello"), send("2", "Hello"), send("3", "Bye"), ...begins(), writes, approval())
    assert.deepStrictEqual(
      queued(view).map(({ id }) => id),
      ["2", "3"]
    )
    assert.deepStrictEqual(
      asking(view).map(({ callId }) => callId),
      ["c-1"]
    )
    assert.strictEqual(running(view)?.turnId, "t-1")
  })

  it("knows the session, the folder and the model", () => {
    const view = conversation(
      event("session_started", { sessionId: "s-1", workingDir: "/w" }),
      event("llm_state", { state: "ready", url: "http://h", model: "m", contextTokens: 4096 })
    )
    assert.deepInclude(view, { sessionId: "s-1", workingDir: "/w", model: "m · ready · http://h" })
  })

  it("takes a frame once, however often it comes, and counts those that never came", () => {
    const frame = event("log", { level: "info", message: "a" })
    let view = empty
    for (const number of [3, 3, 1, 4, 10]) view = take(view, { ...frame, number })
    assert.deepStrictEqual([view.blocks.length, view.missed, view.last], [3, 7, 10])
  })

  it("does without times where a recording has none", () => {
    const lines = [...begins(), tells("assistant_reply", { text: "Hi" }), ends("reply")]
    const view = lines.reduce((before, line, index) => take(before, { ...line, number: index + 1 }), empty)
    assert.deepInclude(turnOf(view), { at: undefined, endedAt: undefined, durationMs: 70, reason: "reply" })
  })

  it("lets the oldest go where a conversation is long, and says how many", () => {
    const many = Array.from({ length: limits.blocks + 7 }, (_, index) =>
      event("log", { level: "info", message: `${index}` })
    )
    const view = conversation(...many)
    assert.deepStrictEqual([view.blocks.length, view.forgotten], [limits.blocks, 7])
    assert.include(toldBlocks(view)[0], "info 7")

    const steps = Array.from({ length: limits.rows + 5 }, (_, stepIndex) => tells("step_started", { stepIndex }))
    const turn = turnOf(conversation(tells("user_message", { text: "go" }), ...steps))
    assert.deepStrictEqual([turn.rows.length, turn.forgotten], [limits.rows, 5])
    // What belongs to a turn that was let go of is not missed.
    assert.strictEqual(conversation(...begins().slice(0, 1), ...many, ends("reply")).blocks.length, limits.blocks)
  })

  it("keeps so much of a text, and says how much more there was", () => {
    const piece = "x".repeat(limits.text / 2)
    const deltas = Array.from({ length: 5 }, () => tells("assistant_delta", { text: piece }))
    const text = turnOf(conversation(...begins(), ...deltas)).rows[1]
    assert.deepInclude(text, { kind: "text", more: piece.length * 3 })
    const whole = turnOf(conversation(...begins(), ...deltas, tells("assistant_reply", { text: piece.repeat(5) })))
    assert.strictEqual(whole.rows.length, 2)
    assert.deepInclude(whole.rows[1], { kind: "reply", more: piece.length * 3 })
  })

  it("stands whatever a recording holds", () => {
    const odd: ReadonlyArray<unknown> = [null, 7, [], {}, { kind: "event" }, { kind: "event", type: "user_message" }]
    const payloads: ReadonlyArray<unknown> = [{}, { turnId: "t-1" }, { turnId: 7, text: {} }, [], null]
    const types = ["user_message", "step_started", "tool_call_started", "approval_request", "tool_call_result", "error"]
    const events = types.flatMap((type) => payloads.map((payload) => ({ kind: "event", id: "1", type, payload })))
    const requests = ["send_message", "steer_message", "approval_response", undefined].flatMap((type) =>
      payloads.map((payload) => ({ kind: "request", id: "1", type, payload }))
    )
    const responses = [{ kind: "response" }, { kind: "response", correlationId: "1", ok: 7, error: "no" }]
    let view = empty
    let number = 0
    for (const from of ["host", "sidecar"] as const) {
      for (const frame of [...odd, ...events, ...requests, ...responses]) {
        number += 1
        view = take(view, { number, from, frame })
      }
    }
    assert.strictEqual(view.last, number)
  })
})
