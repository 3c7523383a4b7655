import type { Entry } from "../../domain/Transcript.ts"
import { toMessages } from "../../domain/Transcript.ts"
import { wellFormedJson } from "../../domain/WellFormed.ts"
import type { Trim } from "./Trimming.ts"
import * as Trimming from "./Trimming.ts"

/** A history as it is sent: its messages as JSON, joined by commas, and the bytes of text in them. */
export interface HistoryText {
  readonly json: string
  readonly bytes: number
}

/** What was made of an earlier state of a history, up to a place where its messages do not touch what follows. */
interface Made {
  readonly budget: number
  readonly trim: Trim
  readonly until: number
  readonly json: string
}

const made = new WeakMap<Entry, Made>()

/**
 * Makes the text of a history that fits into `budget` bytes. A history only grows at its end, so what was made of it
 * before is used again: a turn's cost does not grow with the session.
 */
export const make = (history: ReadonlyArray<Entry>, budget: number): HistoryText => {
  const [first] = history
  if (first === undefined) return { json: "", bytes: 0 }
  const known = made.get(first)
  const before = known?.budget === budget && known.trim.seen <= history.length ? known : undefined
  const trim = Trimming.plan(history, budget, before?.trim)
  if (trim.bytes > budget) return { json: toJson(Trimming.apply(history, trim, budget)), bytes: budget }
  const same = before !== undefined && before.trim.from === trim.from && before.trim.short === trim.short
  const start = same ? before : { until: 0, json: "" }
  const until = lastSeam(history, Math.max(start.until, trim.from)) ?? start.until
  const added = until === start.until ? [] : Trimming.between(history, trim, budget, start.until, until)
  const json = joined(start.json, toJson(added))
  made.set(first, { budget, trim, until, json })
  return {
    json: joined(json, toJson(Trimming.between(history, trim, budget, until, history.length))),
    bytes: trim.bytes
  }
}

/** The last place behind `from` where a user's message follows a closing reply: no message spans it. */
const lastSeam = (history: ReadonlyArray<Entry>, from: number): number | undefined => {
  for (let at = history.length - 1; at > from; at -= 1) {
    const before = history[at - 1]
    if (history[at]?.kind !== "user" || before?.kind !== "assistant_reply") continue
    if (before.text.trim() !== "") return at
  }
  return undefined
}

const toJson = (entries: ReadonlyArray<Entry>): string =>
  toMessages(entries)
    .map((message) => wellFormedJson(message))
    .join(",")

const joined = (one: string, other: string): string => (one === "" || other === "" ? one + other : `${one},${other}`)
