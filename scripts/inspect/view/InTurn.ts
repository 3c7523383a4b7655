import type { Entry } from "../Entry.ts"
import { isRecord } from "../Entry.ts"
import { argumentsText } from "./Format.ts"
import { settled } from "./Steers.ts"
import { replied, wrote } from "./Texts.ts"
import { closed, hasApproval, withLast, withRow } from "./Turns.ts"
import { type CallRow, limits, longText, type Row, type StepRow, type TurnBlock } from "./View.ts"

type Payload = { readonly [key: string]: unknown }

/** The turn with one of its events taken in. */
export const inTurn = (turn: TurnBlock, entry: Entry, type: string, payload: Payload): TurnBlock => {
  switch (type) {
    case "turn_started":
      return { ...turn, index: number(payload["turnIndex"]) }
    case "step_started":
      return withRow(turn, stepRow(entry, number(payload["stepIndex"]) ?? 0))
    case "llm_progress":
      return withLast(turn, entry, isStep, (row) => ({ ...row, progress: progressText(payload) }))
    case "llm_request":
      return withLast(turn, entry, isStep, (row) => ({
        ...row,
        promptTokens: number(payload["promptTokens"]),
        cacheReused: payload["cacheReused"] === true
      }))
    case "llm_response":
      return withLast(wrote(turn, entry, undefined, ""), entry, isStep, (row) => ({ ...row, progress: undefined }))
    case "reasoning_delta":
      return wrote(turn, entry, "thinking", String(payload["text"]))
    case "assistant_delta":
      return wrote(turn, entry, "text", String(payload["text"]))
    case "assistant_reply":
      return replied(turn, entry, payload)
    case "tool_call_started":
      return withRow(turn, callRow(entry, payload))
    case "approval_request":
      return withLast(turn, entry, isCall(payload["callId"]), (row) => ({
        ...row,
        approval: approvalOf(entry, payload)
      }))
    case "approval_resolved":
      return resolved(turn, entry, payload)
    case "tool_call_result":
      return withLast(turn, entry, isCall(payload["callId"]), (row) => ({
        ...row,
        status: payload["status"] === "ok" ? "ok" : "error",
        summary: longText(String(payload["summary"]), limits.short * 4),
        truncated: payload["truncated"] === true,
        endedAt: entry.at,
        approval:
          row.approval === undefined || row.approval.outcome !== undefined
            ? row.approval
            : { ...row.approval, outcome: "withdrawn", endedAt: entry.at }
      }))
    case "steer_applied":
      return settled(turn, entry, String(payload["text"]), "applied")
    case "steer_undelivered":
      return settled(turn, entry, String(payload["text"]), "undelivered")
    case "step_finished":
      return withLast(turn, entry, isStep, (row) => ({
        ...row,
        done: true,
        endedAt: entry.at,
        progress: undefined,
        durationMs: number(payload["durationMs"]),
        tokens: number(payload["tokensUsed"])
      }))
    case "error":
    case "session_failed":
      return failed(turn, entry, String(payload["message"] ?? payload["error"]))
    case "turn_finished":
      return {
        ...closed(turn, entry.at),
        endedAt: entry.at,
        reason: String(payload["reason"]),
        stepCount: number(payload["stepCount"]),
        durationMs: number(payload["durationMs"]),
        tokens: tokensOf(payload["usage"])
      }
    default:
      return turn
  }
}

/** Told twice, by the step and by the session, and shown once. */
const failed = (turn: TurnBlock, entry: Entry, text: string): TurnBlock => {
  const same = (row: Row): row is Extract<Row, { kind: "error" }> => row.kind === "error" && row.text === text
  if (turn.rows.some(same)) return withLast(turn, entry, same, (row) => row)
  const { at, number: of } = entry
  return withRow(turn, { kind: "error", key: `error-${of}`, at, endedAt: at, frames: [[of, of]], text })
}

const resolved = (turn: TurnBlock, entry: Entry, { approvalId, outcome }: Payload): TurnBlock =>
  withLast(turn, entry, hasApproval(String(approvalId)), (row) => {
    if (row.approval === undefined) return row
    const known = outcome === "approved" || outcome === "denied" ? outcome : "withdrawn"
    return { ...row, approval: { ...row.approval, outcome: known, endedAt: row.approval.endedAt ?? entry.at } }
  })

const stepRow = (entry: Entry, index: number): StepRow => ({
  kind: "step",
  key: `step-${entry.number}`,
  at: entry.at,
  frames: [[entry.number, entry.number]],
  index,
  done: false,
  durationMs: undefined,
  tokens: undefined,
  promptTokens: undefined,
  cacheReused: false,
  progress: undefined
})

const callRow = (entry: Entry, { args, callId, tool }: Payload): CallRow => ({
  kind: "call",
  key: `call-${entry.number}`,
  at: entry.at,
  frames: [[entry.number, entry.number]],
  callId: String(callId),
  tool: String(tool),
  args: argumentsText(args),
  status: undefined,
  summary: longText(""),
  truncated: false,
  approval: undefined
})

const approvalOf = (entry: Entry, payload: Payload): NonNullable<CallRow["approval"]> => ({
  at: entry.at,
  approvalId: String(payload["approvalId"]),
  category: typeof payload["category"] === "string" ? payload["category"] : undefined,
  reason: String(payload["reason"] ?? ""),
  preview: typeof payload["preview"] === "string" ? longText(payload["preview"], limits.short * 4).text : undefined,
  resources: Array.isArray(payload["affectedResources"]) ? payload["affectedResources"].slice(0, 20).map(String) : [],
  outcome: undefined,
  note: undefined
})

const progressText = ({ phase, processed, total }: Payload): string | undefined => {
  if (phase === "loading") return "the model is loading"
  const [done, all] = [number(processed), number(total)]
  if (phase !== "prefill" || done === undefined || all === undefined || all === 0) return undefined
  return `reading the prompt, ${Math.round((100 * done) / all)} %`
}

const tokensOf = (usage: unknown): number | undefined => {
  if (!isRecord(usage)) return undefined
  const [prompt, completion] = [number(usage["promptTokens"]), number(usage["completionTokens"])]
  return prompt === undefined || completion === undefined ? undefined : prompt + completion
}

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
const isStep = (row: Row): row is StepRow => row.kind === "step"
const isCall =
  (callId: unknown) =>
  (row: Row): row is CallRow =>
    row.kind === "call" && row.callId === callId
