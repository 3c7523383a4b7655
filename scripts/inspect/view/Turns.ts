import type { Entry } from "../Entry.ts"
import { extended } from "./Ranges.ts"
import { type CallRow, limits, type Row, type TurnBlock, type View } from "./View.ts"

/** With the turn changed, if it is there; a turn that was let go of is not missed. */
export const withTurn = (view: View, entry: Entry, turnId: string, change: (turn: TurnBlock) => TurnBlock): View => {
  const at = view.blocks.findLastIndex((block) => block.kind === "turn" && block.turnId === turnId)
  const turn = view.blocks[at]
  if (turn?.kind !== "turn") return view
  const changed = change({ ...turn, frames: extended(turn.frames, entry.number) })
  return { ...view, blocks: view.blocks.with(at, changed) }
}

export const withRow = (turn: TurnBlock, row: Row): TurnBlock => {
  const rows = [...turn.rows, row]
  const over = Math.max(0, rows.length - limits.rows)
  return { ...turn, rows: rows.slice(over), forgotten: turn.forgotten + over }
}

/** With the last row that fits changed, and the frame counted among its own. */
export const withLast = <R extends Row>(
  turn: TurnBlock,
  entry: Entry,
  fits: (row: Row) => row is R,
  change: (row: R) => R
): TurnBlock => {
  const at = turn.rows.findLastIndex(fits)
  const row = turn.rows[at]
  if (row === undefined || !fits(row)) return turn
  return { ...turn, rows: turn.rows.with(at, { ...change(row), frames: extended(row.frames, entry.number) }) }
}

/** The call that an approval belongs to, with the id of its turn. */
export const findApproval = (
  view: View,
  approvalId: string
): { readonly turnId: string; readonly row: CallRow } | undefined => {
  for (const block of view.blocks.toReversed()) {
    if (block.kind !== "turn") continue
    const row = block.rows.findLast((each) => each.kind === "call" && each.approval?.approvalId === approvalId)
    if (row?.kind === "call") return { turnId: block.turnId, row }
  }
  return undefined
}

export const hasApproval =
  (approvalId: string) =>
  (row: Row): row is CallRow =>
    row.kind === "call" && row.approval?.approvalId === approvalId

/** A text that was being written is written, a call that was not answered is over. */
export const closed = (turn: TurnBlock, at: number | undefined): TurnBlock => ({
  ...turn,
  rows: turn.rows.map((row) => closedRow(row, at))
})

const closedRow = (row: Row, at: number | undefined): Row => {
  switch (row.kind) {
    case "step":
      return row.done ? row : { ...row, done: true, endedAt: row.endedAt ?? at, progress: undefined }
    case "call": {
      const { approval } = row
      const withdrawn =
        approval !== undefined && approval.outcome === undefined
          ? { ...approval, outcome: "withdrawn" as const, endedAt: at }
          : approval
      return row.endedAt !== undefined && withdrawn === approval
        ? row
        : { ...row, endedAt: row.endedAt ?? at, approval: withdrawn }
    }
    case "steer":
    case "error":
      return row
    default:
      return row.done ? row : { ...row, done: true, endedAt: row.endedAt ?? at }
  }
}
