import type { Entry } from "../Entry.ts"
import { take } from "./Take.ts"
import { empty, type Row, type TurnBlock, type View } from "./View.ts"

export type Line = Omit<Entry, "number">

/** When it was, in milliseconds: what follows a line is at its time, too. */
export const conversation = (...lines: ReadonlyArray<Line | number>): View => {
  let at = 1000
  let number = 0
  let view = empty
  for (const line of lines) {
    if (typeof line === "number") at = 1000 + line
    else {
      number += 1
      view = take(view, { at, ...line, number })
    }
  }
  return view
}

export const asks = (id: string, type: string, payload: object = {}): Line => ({
  from: "host",
  frame: { kind: "request", id, type, payload }
})
export const answers = (correlationId: string, payload: unknown): Line => ({
  from: "sidecar",
  frame: { kind: "response", id: "x", correlationId, ok: true, payload }
})
export const refuses = (correlationId: string, message: string): Line => ({
  from: "sidecar",
  frame: {
    kind: "response",
    id: "x",
    correlationId,
    ok: false,
    payload: {},
    error: { code: "handler_failed", message }
  }
})
export const event = (type: string, payload: object): Line => ({
  from: "sidecar",
  frame: { kind: "event", id: "x", type, payload }
})
/** An event of the turn t-1. */
export const tells = (type: string, payload: object = {}): Line =>
  event(type, { sessionId: "s-1", turnId: "t-1", ...payload })
export const call = (type: string, callId: string, tool: string, more: object): Line =>
  tells(type, { stepIndex: -1, step: 0, callId, tool, ...more })

/** A turn as it begins, up to its first step. */
export const begins = (text = "Hello"): ReadonlyArray<Line> => [
  tells("user_message", { text }),
  tells("turn_started", { turnIndex: 0 }),
  tells("step_started", { stepIndex: 0 })
]
export const ends = (reason: string): Line =>
  tells("turn_finished", { turnIndex: 0, reason, stepCount: 1, durationMs: 70 })

export const turnOf = (view: View): TurnBlock => {
  const turn = view.blocks.find((block): block is TurnBlock => block.kind === "turn")
  if (turn === undefined) throw new Error("no turn")
  return turn
}

/** The rows of a turn, each with so much as a test looks at. */
export const rowsOf = (view: View): ReadonlyArray<string> => turnOf(view).rows.map(textOfRow)

const textOfRow = (row: Row): string => {
  switch (row.kind) {
    case "step":
      return `step ${row.index}${row.done ? "" : " …"}`
    case "call": {
      const asked = row.approval === undefined ? "" : ` [${row.approval.outcome ?? "open"}]`
      return `${row.tool}(${row.args})${asked} ${row.status ?? "…"} ${row.summary.text}`.trim()
    }
    case "steer":
      return `steer ${row.state}: ${row.text}`
    case "error":
      return `error: ${row.text}`
    default:
      return `${row.kind}${row.done ? "" : " …"}: ${row.text}`
  }
}
