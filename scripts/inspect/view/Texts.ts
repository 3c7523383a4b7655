import type { Entry } from "../Entry.ts"
import { withLast, withRow } from "./Turns.ts"
import { limits, longText, type LongText, type Row, type TextRow, type TurnBlock } from "./View.ts"

/**
 * The turn with a piece of text written: behind what is being written, or as a row of its own; what was being written
 * besides is done. Without a kind, only the latter.
 */
export const wrote = (
  turn: TurnBlock,
  entry: Entry,
  kind: "thinking" | "text" | undefined,
  piece: string
): TurnBlock => {
  const open = turn.rows.findLast(isOpenText)
  if (open !== undefined && open.kind === kind) {
    const own = (row: Row): row is TextRow => row.key === open.key && isOpenText(row)
    return withLast(turn, entry, own, (row) => ({ ...row, ...joined(row, piece), endedAt: entry.at }))
  }
  const rest = { ...turn, rows: turn.rows.map((row) => (isOpenText(row) ? { ...row, done: true } : row)) }
  return kind === undefined ? rest : withRow(rest, textRow(entry, kind, piece, false))
}

/** The turn with a text told whole: what was streamed of it is the same row. */
export const replied = (turn: TurnBlock, entry: Entry, payload: { readonly [key: string]: unknown }): TurnBlock => {
  const kind = payload["progressNote"] === true ? "note" : "reply"
  const attachments = Array.isArray(payload["attachments"]) ? payload["attachments"].map(String) : []
  const whole = String(payload["text"])
  const step = turn.rows.findLastIndex((row) => row.kind === "step")
  const streamed = turn.rows.findLast((row, at): row is TextRow => at > step && row.kind === "text")
  const written = wrote(turn, entry, undefined, "")
  if (streamed === undefined || !whole.trimStart().startsWith(streamed.text.trim())) {
    const row = textRow(entry, kind, whole, true)
    return withRow(written, { ...row, attachments })
  }
  const own = (row: Row): row is TextRow => row.kind === "text" && row.key === streamed.key
  return withLast(written, entry, own, (row) => ({ ...row, kind, ...longText(whole), done: true, attachments }))
}

const isOpenText = (row: Row): row is TextRow => (row.kind === "thinking" || row.kind === "text") && !row.done

const joined = (before: LongText, piece: string): LongText => {
  const room = Math.max(0, limits.text - before.text.length)
  return { text: before.text + piece.slice(0, room), more: before.more + Math.max(0, piece.length - room) }
}

const textRow = (entry: Entry, kind: TextRow["kind"], text: string, done: boolean): TextRow => ({
  kind,
  key: `text-${entry.number}`,
  at: entry.at,
  endedAt: entry.at,
  frames: [[entry.number, entry.number]],
  ...longText(text),
  done,
  attachments: []
})
