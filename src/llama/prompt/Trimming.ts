import { isObject } from "effect/Predicate"
import { cutText } from "../../domain/CutText.ts"
import type { Entry } from "../../domain/Transcript.ts"

/**
 * Which entries of a history are sent: those before index `from` are left out, except for the first user message or its
 * beginning; those before index `short` are shortened.
 */
export interface Trim {
  readonly from: number
  readonly short: number
  /** Bytes of text that are sent. */
  readonly bytes: number
  /** The number of entries so far, and the indices at which the last turn and the last step begin. */
  readonly count: number
  readonly turn: number
  readonly step: number
}

export const nothing: Trim = { from: 0, short: 0, bytes: 0, count: 0, turn: 0, step: 0 }

/** The share of the budget used after a trim: low, so that the next trim, which costs the prompt cache, is far. */
const lowWater = 0.4

/**
 * Plans how a history fits into `budget` bytes of text (runtime, Prompt): first old tool results are shortened, then
 * the oldest whole turns are left out; the first user message and the last turn stay. Of a first message that takes
 * more than half of the budget only the beginning stays, since no later message could be answered otherwise. The plan
 * replays the growth of the history, so that the trim changes only when the budget runs out, and then in a large
 * stride. `known` is the plan for an earlier state of the same history with the same budget.
 */
export const plan = (entries: ReadonlyArray<Entry>, budget: number, known: Trim = nothing): Trim => {
  let { from, short, bytes, turn, step } = known
  const firstUser = entries.findIndex((entry) => entry.kind === "user")
  const low = budget * lowWater
  for (let index = known.count; index < entries.length; index += 1) {
    const entry = entries[index]
    if (entry === undefined) break
    const before = entries[index - 1]
    if (before?.turnId !== entry.turnId) turn = index
    if (beginsStep(entry, before)) step = index
    bytes += sizeOf(entry)
    if (bytes <= budget) continue
    for (; bytes > low && short < step; short += 1) {
      const old = entries[short]
      if (old !== undefined && short >= from) bytes -= sizeOf(old) - sizeOf(shorten(old))
    }
    while (bytes > low && from < turn) {
      const dropped = entries[from]
      if (dropped === undefined) break
      if (from === 0) bytes += sizeOf(leftOut(dropped))
      for (let old = entries[from]; from < turn && old?.turnId === dropped.turnId; old = entries[from]) {
        bytes -= sizeOf(from < short ? shorten(old) : old)
        if (from === firstUser) bytes += sizeOf(beginningOf(old, budget))
        from += 1
      }
    }
  }
  return { from, short, bytes, count: entries.length, turn, step }
}

/** The entries that are sent. If even the last step exceeds `budget`, its results are cut. */
export const apply = (entries: ReadonlyArray<Entry>, trim: Trim, budget: number): ReadonlyArray<Entry> => {
  const kept = between(entries, trim, budget, 0, entries.length)
  return trim.bytes > budget ? squeeze(kept, trim.bytes - budget) : kept
}

/** The part of {@link apply} for the indices from `since` up to `until`; from 0 it includes the first user message. */
export const between = (
  entries: ReadonlyArray<Entry>,
  trim: Trim,
  budget: number,
  since: number,
  until: number
): ReadonlyArray<Entry> => {
  const start = Math.max(since, trim.from)
  const kept = entries.slice(start, until).map((entry, at) => (start + at < trim.short ? shorten(entry) : entry))
  const first = since > 0 || trim.from === 0 ? undefined : entries.find((entry) => entry.kind === "user")
  if (first === undefined) return kept
  return [beginningOf(first, budget), leftOut(first), ...kept.filter((entry) => entry !== first)]
}

/** Bytes of text that an entry adds to a prompt. */
export const sizeOf = (entry: Entry): number => {
  const known = sizes.get(entry)
  if (known !== undefined) return known
  const size = Buffer.byteLength(textOf(entry)) + perEntry
  sizes.set(entry, size)
  return size
}

/** Bytes for the role, brackets and identifiers of a message. */
const perEntry = 24

const sizes = new WeakMap<Entry, number>()
const shortened = new WeakMap<Entry, Entry>()

const textOf = (entry: Entry): string => {
  switch (entry.kind) {
    case "user":
    case "notice":
    case "assistant_reply":
      return entry.text
    case "tool_result":
      return entry.summary
    case "assistant_tool_call":
      return `${entry.tool}${JSON.stringify(entry.args) ?? ""}${entry.reasoning ?? ""}`
  }
}

/** A step begins with the turn, or with an entry of the model after one that is not the model's. */
const beginsStep = (entry: Entry, before: Entry | undefined): boolean => {
  if (before?.turnId !== entry.turnId) return true
  const isFromModel = entry.kind === "assistant_tool_call" || entry.kind === "assistant_reply"
  return isFromModel && before.kind !== "assistant_tool_call" && before.kind !== "assistant_reply"
}

const maxLine = 160
const maxArgument = 400

const shorten = (entry: Entry): Entry => {
  if (entry.kind !== "tool_result" && entry.kind !== "assistant_tool_call") return entry
  const known = shortened.get(entry)
  if (known !== undefined) return known
  const short = entry.kind === "tool_result" ? { ...entry, summary: oneLine(entry.summary) } : shortCall(entry)
  shortened.set(entry, short)
  return short
}

const shortCall = (entry: Extract<Entry, { kind: "assistant_tool_call" }>): Entry => {
  const { reasoning: _, ...call } = entry
  return isObject(call.args) ? { ...call, args: shortArguments(call.args) } : call
}

const shortArguments = (args: { readonly [key: PropertyKey]: unknown }) =>
  Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      key,
      typeof value === "string" && value.length > maxArgument ? cutTo(value, 100) : value
    ])
  )

const oneLine = (text: string): string => {
  const line = text.trimStart().split("\n", 1)[0] ?? ""
  return text.length <= maxLine ? text : cutTo(text, Math.min(line.length, maxLine))
}

/** The beginning of a text, and the length of the whole. */
const cutTo = (text: string, length: number): string =>
  `${cutText(text.trimStart(), length)} [… shortened, ${text.length} characters]`

/** The first user message of a trimmed history: all of it, or a quarter of the budget if it takes more than half. */
const beginningOf = (entry: Entry, budget: number): Entry => {
  if (entry.kind !== "user" || sizeOf(entry) <= budget / 2) return entry
  const share = budget / 4 / sizeOf(entry)
  return { ...entry, text: cutTo(entry.text, Math.floor(entry.text.length * share)) }
}

const leftOut = (entry: Entry): Entry => ({
  kind: "notice",
  at: entry.at,
  turnId: entry.turnId,
  text: "[Earlier turns are left out here.]"
})

/** Takes `excess` bytes off the results of the last step, each by the same share. */
const squeeze = (entries: ReadonlyArray<Entry>, excess: number): ReadonlyArray<Entry> => {
  const last = entries.findLastIndex((entry) => entry.kind === "assistant_tool_call")
  const results = entries.flatMap((entry, index) => (index > last && entry.kind === "tool_result" ? [entry] : []))
  const all = results.reduce((sum, entry) => sum + sizeOf(entry), 0)
  const share = Math.max(0, 1 - (excess + results.length * maxLine) / Math.max(1, all))
  return entries.map((entry, index) =>
    index > last && entry.kind === "tool_result" && entry.summary.length > maxLine
      ? { ...entry, summary: cutTo(entry.summary, Math.floor(entry.summary.length * share)), truncated: true }
      : entry
  )
}
