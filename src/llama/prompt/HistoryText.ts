import type { Entry } from "../../domain/Transcript.ts"
import { wellFormedJson } from "../../protocol/WellFormed.ts"
import * as ChatMessages from "./ChatMessages.ts"
import type { MessageForm } from "./MessageForm.ts"
import type { Trim } from "./Trimming.ts"
import * as Trimming from "./Trimming.ts"

/** A history in a request: its messages as JSON, joined by commas, and the bytes of text in them. */
export interface HistoryText {
  readonly json: string
  readonly bytes: number
}

/** The JSON of a history's first entries, up to `until`, after which no message depends on them. */
interface CachedText {
  readonly budget: number
  readonly form: MessageForm
  readonly trim: Trim
  readonly until: number
  readonly json: string
}

/** Keyed by the first entry of a history. */
const cache = new WeakMap<Entry, CachedText>()

/**
 * Makes the text of a history, trimmed to `budget` bytes. A history only grows at its end, so the text of its earlier
 * entries is cached, and the cost of a turn does not grow with the session.
 */
export const make = (history: ReadonlyArray<Entry>, budget: number, form: MessageForm): HistoryText => {
  const [first] = history
  if (first === undefined) return { json: "", bytes: 0 }
  const known = cache.get(first)
  const before = known?.budget === budget && known.trim.count <= history.length ? known : undefined
  const trim = Trimming.plan(history, budget, before?.trim)
  if (trim.bytes > budget) return { json: toJson(Trimming.apply(history, trim, budget), form), bytes: budget }
  const same = before?.form === form && before.trim.from === trim.from && before.trim.short === trim.short
  const start = same ? before : { until: 0, json: "" }
  const until = lastSeam(history, Math.max(start.until, trim.from)) ?? start.until
  const added = until === start.until ? [] : Trimming.between(history, trim, budget, start.until, until)
  const json = joined(start.json, toJson(added, form))
  cache.set(first, { budget, form, trim, until, json })
  return {
    json: joined(json, toJson(Trimming.between(history, trim, budget, until, history.length), form)),
    bytes: trim.bytes
  }
}

/** The last index after `from` where a user's message follows a closing reply, so that nothing has to stand between. */
const lastSeam = (history: ReadonlyArray<Entry>, from: number): number | undefined => {
  for (let at = history.length - 1; at > from; at -= 1) {
    const before = history[at - 1]
    if (history[at]?.kind !== "user" || before?.kind !== "assistant_reply") continue
    if (before.text.trim() !== "") return at
  }
  return undefined
}

const toJson = (entries: ReadonlyArray<Entry>, form: MessageForm): string =>
  ChatMessages.make(entries, form)
    .map((message) => wellFormedJson(message))
    .join(",")

const joined = (one: string, other: string): string => (one === "" || other === "" ? one + other : `${one},${other}`)
