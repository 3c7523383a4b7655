import { isObject } from "effect/Predicate"
import type { Complaint } from "../ServerError.ts"
import { complaint } from "../ServerError.ts"
import { tokenCount } from "../TokenCount.ts"

/** A piece of a tool call as it came; what was absent or of another type is undefined. */
export interface CallFragment {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  /** A string is a piece of JSON text; anything else is a whole value, null included. */
  readonly args: unknown
}

/** Tokens as a server counts them. */
export interface Counts {
  readonly prompt: number | undefined
  readonly cached: number | undefined
  readonly completion: number | undefined
  readonly perSecond: number | undefined
}

/**
 * One payload of a chat stream. Nothing in it is required and what has the wrong type counts as absent, because the
 * servers differ in everything but the words. It is narrowed by hand: this runs once a token.
 */
export interface ChatChunk {
  readonly content: string | undefined
  readonly reasoning: string | undefined
  readonly calls: ReadonlyArray<CallFragment>
  readonly finish: string | undefined
  /** The words came as a whole message: an answer that was not streamed, or a last chunk that repeats everything. */
  readonly whole: boolean
  readonly usage: Counts | undefined
  readonly timings: Counts | undefined
  readonly progress: { readonly processed: number; readonly total: number; readonly cached: number } | undefined
  readonly complaint: Complaint | undefined
}

type Json = { readonly [key: PropertyKey]: unknown }

const known = ["choices", "usage", "timings", "prompt_progress"]

/** A parsed payload as a chunk; null where it is no part of a chat at all. */
export const narrow = (payload: unknown): ChatChunk | null => {
  if (!isObject(payload)) return null
  const said = Array.isArray(payload.choices) && payload.error === undefined ? null : complaint(payload)
  if (said === null && !known.some((key) => key in payload)) return null
  const choice: Json = (Array.isArray(payload.choices) ? payload.choices.find(isFirst) : undefined) ?? {}
  const delta = isObject(choice.delta) ? choice.delta : undefined
  const words: Json = delta ?? (isObject(choice.message) ? choice.message : choice)
  return {
    content: contentOf(words.content ?? words.text),
    reasoning: text(words.reasoning_content) ?? text(words.reasoning),
    calls: callsOf(words),
    finish: text(choice.finish_reason),
    whole: delta === undefined && isObject(choice.message),
    usage: usageOf(payload.usage) ?? usageOf(choice.usage),
    timings: timingsOf(payload.timings),
    progress: progressOf(payload.prompt_progress),
    complaint: said ?? (choice.error === undefined ? undefined : (complaint({ error: choice.error }) ?? undefined))
  }
}

const isFirst = (choice: unknown): choice is Json =>
  isObject(choice) && (choice.index === 0 || typeof choice.index !== "number")

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const contentOf = (content: unknown): string | undefined => {
  if (!Array.isArray(content)) return text(content)
  const parts = content.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : ""))
  return text(parts.join(""))
}

const noCalls: ReadonlyArray<CallFragment> = []

const callsOf = (words: Json): ReadonlyArray<CallFragment> => {
  const { tool_calls: calls, function_call: old } = words
  if (Array.isArray(calls)) return calls.filter(isObject).map(callOf)
  if (isObject(calls)) return [callOf(calls)]
  return isObject(old) ? [callOf({ index: 0, function: old })] : noCalls
}

const callOf = (call: Json): CallFragment => {
  const named: Json = isObject(call.function) ? call.function : call
  return {
    index: typeof call.index === "number" ? call.index : undefined,
    id: text(call.id),
    name: text(named.name),
    args: named.arguments
  }
}

const rate = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

const usageOf = (usage: unknown): Counts | undefined => {
  if (!isObject(usage)) return undefined
  const prompt = tokenCount(usage.prompt_tokens)
  const completion = tokenCount(usage.completion_tokens)
  if (prompt === undefined && completion === undefined) return undefined
  const details: Json = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  return { prompt, completion, cached: tokenCount(details.cached_tokens), perSecond: undefined }
}

const timingsOf = (timings: unknown): Counts | undefined => {
  if (!isObject(timings)) return undefined
  const cached = tokenCount(timings.cache_n)
  const read = tokenCount(timings.prompt_n)
  return {
    // Builds without `cache_n` count only what they read anew, which says nothing of the whole.
    prompt: cached === undefined || read === undefined ? undefined : cached + read,
    cached,
    completion: tokenCount(timings.predicted_n),
    perSecond: rate(timings.predicted_per_second)
  }
}

const progressOf = (progress: unknown): ChatChunk["progress"] => {
  if (!isObject(progress)) return undefined
  const total = tokenCount(progress.total)
  const processed = tokenCount(progress.processed)
  if (total === undefined || processed === undefined) return undefined
  return { total, processed: Math.min(processed, total), cached: tokenCount(progress.cache) ?? 0 }
}
