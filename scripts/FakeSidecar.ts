/** Speaks as much of the protocol as the tests of the scripts need. What it does is named by the message's text. */
import * as Readline from "node:readline"
import * as Fs from "node:fs"

const sessionId = "s-1"

const write = (frame: object) => Fs.writeSync(1, `${JSON.stringify({ id: "x", ...frame })}\n`)
const event = (type: string, payload: object) =>
  write({ kind: "event", type, payload: { sessionId, turnId: "t-1", ...payload } })
const succeed = (correlationId: string, payload: unknown) =>
  write({ kind: "response", correlationId, ok: true, payload })

let turns = 0
let running: string | undefined
let onAnswer = (_approved: boolean, _reason: string | undefined) => {}

const finish = (reason: string) => {
  event("turn_finished", { turnIndex: turns, reason, stepCount: 1, durationMs: 5 })
  turns += 1
  succeed(running ?? "", { reason, turnCount: turns, stepCount: turns })
  running = undefined
}

const play = (text: string) => {
  event("user_message", { text })
  event("turn_started", { turnIndex: turns })
  event("reasoning_delta", { stepIndex: 0, text: "hm\u2028hm" })
  const call = { stepIndex: -1, step: 0, callId: "c-1", tool: "fs.write" }
  event("tool_call_started", { ...call, args: { path: "TODO.md" } })
  event("approval_request", {
    approvalId: "a-1",
    callId: "c-1",
    tool: "fs.write",
    category: text.includes("outside") ? "other" : "fs_write_workspace",
    reason: "writes a file",
    preview: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n"
  })
  onAnswer = (approved, reason) => {
    event("tool_call_result", {
      ...call,
      status: approved ? "ok" : "error",
      summary: approved ? "written" : `${reason}`
    })
    event("assistant_delta", { text: "Done" })
    event("assistant_delta", { text: ", 你好." })
    event("assistant_reply", { text: "Done, 你好." })
    finish("reply")
  }
}

for await (const line of Readline.createInterface({ input: process.stdin })) {
  const { id, type, payload } = JSON.parse(line)
  if (type === "ping") succeed(id, { ok: true })
  else if (type === "start_session") succeed(id, { sessionId })
  else if (type === "send_message") {
    running = id
    play(payload.text)
  } else if (type === "approval_response") {
    succeed(id, { resolved: true })
    onAnswer(payload.approved, payload.reason)
  } else if (type === "cancel") {
    if (running !== undefined) finish("cancelled")
    succeed(id, { cancelled: true, turns: 1 })
  } else if (type === "shutdown") {
    succeed(id, { ok: true })
    break
  } else {
    const error = { message: `unknown request ${type}`, code: "unknown_request" }
    write({ kind: "response", correlationId: id, ok: false, payload: {}, error })
  }
}
