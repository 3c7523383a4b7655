import type { Entry } from "../Entry.ts"
import { withBlock } from "./Notices.ts"
import { withLast, withRow, withTurn } from "./Turns.ts"
import { type Pending, type Row, running, type SteerRow, type TurnBlock, type View } from "./View.ts"

/** A steer on its way: a row of the turn that runs. */
export const steering = (view: View, entry: Entry, pending: Pending): View => {
  const turn = running(view)
  if (turn === undefined) return view
  return withTurn(view, entry, turn.turnId, (each) => withRow(each, steerRow(entry, pending.text, "sent")))
}

/** What came of a steer: it was taken, or nothing ran that could have read it. */
export const steered = (view: View, entry: Entry, pending: Pending, accepted: boolean): View => {
  const key = `steer-${pending.number}`
  const turn = view.blocks.findLast(
    (block): block is TurnBlock => block.kind === "turn" && block.rows.some((row) => row.key === key)
  )
  const state = accepted ? "accepted" : "refused"
  if (turn === undefined) {
    return withBlock(view, {
      kind: "notice",
      key: `notice-${pending.number}`,
      at: pending.at,
      frames: [
        [pending.number, pending.number],
        [entry.number, entry.number]
      ],
      level: accepted ? "info" : "warn",
      title: accepted ? "A steer was taken" : "Nothing runs that could be steered",
      detail: { text: pending.text, more: 0 }
    })
  }
  const own = (row: Row): row is SteerRow => row.kind === "steer" && row.key === key
  return withTurn(view, entry, turn.turnId, (each) =>
    // A steer may be applied before its answer is here.
    withLast(each, entry, own, (row) => (row.state === "sent" ? { ...row, state } : row))
  )
}

/** The turn with a steer read, or left unread. */
export const settled = (turn: TurnBlock, entry: Entry, text: string, state: "applied" | "undelivered"): TurnBlock => {
  const first = turn.rows.find((row) => isOpenSteer(row) && row.text === text)
  if (first === undefined) return withRow(turn, { ...steerRow(entry, text, state), endedAt: entry.at })
  const own = (row: Row): row is SteerRow => row.kind === "steer" && row.key === first.key
  return withLast(turn, entry, own, (row) => ({ ...row, state, endedAt: entry.at }))
}

const isOpenSteer = (row: Row): row is SteerRow =>
  row.kind === "steer" && (row.state === "sent" || row.state === "accepted")

const steerRow = (entry: Entry, text: string, state: SteerRow["state"]): SteerRow => ({
  kind: "steer",
  key: `steer-${entry.number}`,
  at: entry.at,
  frames: [[entry.number, entry.number]],
  text,
  state
})
