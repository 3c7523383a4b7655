import { type Entry, isRecord } from "../Entry.ts"
import { argumentsText, cut } from "./Format.ts"
import { withBlock } from "./Notices.ts"
import { extended } from "./Ranges.ts"
import { steered, steering } from "./Steers.ts"
import { findApproval, hasApproval, withLast, withTurn } from "./Turns.ts"
import { limits, type Pending, type RequestBlock, type View } from "./View.ts"

type Frame = { readonly [key: string]: unknown }

/** A request: what will be part of a turn waits for its answer, the others are shown at once. */
export const asked = (view: View, entry: Entry, frame: Frame): View => {
  const type = String(frame["type"])
  const payload = isRecord(frame["payload"]) ? frame["payload"] : {}
  const approvalId = type === "approval_response" ? String(payload["approvalId"]) : undefined
  const pending: Pending = {
    id: String(frame["id"]),
    type,
    number: entry.number,
    at: entry.at,
    text: typeof payload["text"] === "string" ? cut(payload["text"]) : argumentsText(payload),
    sessionId: typeof payload["sessionId"] === "string" ? payload["sessionId"] : undefined,
    of: approvalId,
    approved: typeof payload["approved"] === "boolean" ? payload["approved"] : undefined
  }
  const waiting = { ...view, pending: [...view.pending, pending].slice(-limits.pending) }
  if (type === "send_message") return waiting
  if (type === "steer_message") return steering(waiting, entry, pending)
  const place = approvalId === undefined ? undefined : findApproval(view, approvalId)
  if (approvalId === undefined || place === undefined) return withBlock(waiting, requestBlock(pending))
  const note = typeof payload["reason"] === "string" ? payload["reason"] : undefined
  return withTurn(waiting, entry, place.turnId, (turn) =>
    withLast(turn, entry, hasApproval(approvalId), (row) =>
      row.approval === undefined ? row : { ...row, approval: { ...row.approval, note: note ?? row.approval.note } }
    )
  )
}

/** The answer to a request. */
export const answered = (view: View, entry: Entry, frame: Frame): View => {
  const id = String(frame["correlationId"])
  const pending = view.pending.find((each) => each.id === id)
  if (pending === undefined) return view
  const ok = frame["ok"] === true
  const payload = isRecord(frame["payload"]) ? frame["payload"] : {}
  const rest = { ...view, pending: view.pending.filter((each) => each !== pending) }
  const answer = cut(ok ? argumentsText(frame["payload"]) : errorText(frame["error"]))
  switch (pending.type) {
    case "send_message":
      if (pending.of !== undefined && ok) return withTurn(rest, entry, pending.of, (turn) => turn)
      return withBlock(rest, answeredBlock(requestBlock(pending), entry, ok, answer))
    case "steer_message":
      return steered(rest, entry, pending, ok && payload["steered"] === true)
    case "approval_response": {
      const place = pending.of === undefined ? undefined : findApproval(rest, pending.of)
      if (pending.of === undefined || place === undefined) break
      const resolved = ok && payload["resolved"] === true
      return withTurn(rest, entry, place.turnId, (turn) =>
        withLast(turn, entry, hasApproval(String(pending.of)), (row) => {
          if (row.approval === undefined || row.approval.outcome !== undefined || !resolved) return row
          const outcome = pending.approved === true ? "approved" : "denied"
          return { ...row, approval: { ...row.approval, outcome, endedAt: entry.at } }
        })
      )
    }
    default:
  }
  const at = rest.blocks.findLastIndex((block) => block.kind === "request" && block.key === keyOf(pending))
  const block = rest.blocks[at]
  if (block?.kind !== "request") return rest
  return { ...rest, blocks: rest.blocks.with(at, answeredBlock(block, entry, ok, answer)) }
}

const keyOf = ({ number }: Pending) => `request-${number}`

const requestBlock = (pending: Pending): RequestBlock => ({
  kind: "request",
  key: keyOf(pending),
  id: pending.id,
  type: pending.type,
  at: pending.at,
  frames: [[pending.number, pending.number]],
  asked: pending.text,
  ok: undefined,
  answer: ""
})

const answeredBlock = (block: RequestBlock, entry: Entry, ok: boolean, answer: string): RequestBlock => ({
  ...block,
  ok,
  answer,
  endedAt: entry.at,
  frames: extended(block.frames, entry.number)
})

const errorText = (error: unknown): string =>
  isRecord(error) ? `${String(error["code"])}: ${String(error["message"])}` : "failed"
