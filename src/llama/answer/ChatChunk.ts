import { isObject } from "effect/Predicate"
import type { Complaint } from "../ServerError.ts"
import { parseComplaint } from "../ServerError.ts"
import { tokenCount } from "../TokenCount.ts"

/** A piece of a tool call as it was sent; a field that is absent or has another type is undefined. */
export interface CallFragment {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  /** A string is a piece of JSON text; anything else, null included, is the whole value. */
  readonly args: unknown
}

/** Token counts of a server, and generated tokens per second. */
export interface Counts {
  readonly prompt: number | undefined
  readonly cached: number | undefined
  readonly completion: number | undefined
  readonly perSecond: number | undefined
}

/**
 * One payload of a chat stream. Every field is optional and a value of the wrong type counts as absent, because servers
 * agree on little but the names. It is narrowed by hand instead of by a schema, since this runs once per token.
 */
export interface ChatChunk {
  /** The model as the server names it. */
  readonly model: string | undefined
  readonly content: string | undefined
  readonly reasoning: string | undefined
  readonly calls: ReadonlyArray<CallFragment>
  readonly finish: string | undefined
  /** True for a whole message: an answer that was not streamed, or a last chunk that repeats everything. */
  readonly whole: boolean
  readonly usage: Counts | undefined
  readonly timings: Counts | undefined
  readonly progress: { readonly processed: number; readonly total: number; readonly cached: number } | undefined
  readonly complaint: Complaint | undefined
}

type Json = { readonly [key: PropertyKey]: unknown }

const chatKeys = ["choices", "usage", "timings", "prompt_progress"]

/** Narrows a parsed payload to a chunk; null if it is not part of a chat. */
export const narrow = (payload: unknown): ChatChunk | null => {
  if (!isObject(payload)) return null
  const complaint = Array.isArray(payload.choices) && payload.error === undefined ? null : parseComplaint(payload)
  if (complaint === null && !chatKeys.some((key) => key in payload)) return null
  const choice: Json = (Array.isArray(payload.choices) ? payload.choices.find(isFirst) : undefined) ?? {}
  const delta = isObject(choice.delta) ? choice.delta : undefined
  const message: Json = delta ?? (isObject(choice.message) ? choice.message : choice)
  const content = message.content ?? message.text
  const parts = typeof content === "object" && content !== null ? [content].flat() : undefined
  return {
    model: text(payload.model),
    content: parts === undefined ? text(content) : text(parts.map(wordsIn).join("")),
    // Some servers send the reasoning twice, or in two fields.
    reasoning: text(message.reasoning_content) ?? text(message.reasoning) ?? text(parts?.map(thoughtsIn).join("")),
    calls: callsOf(message),
    finish: text(choice.finish_reason),
    whole: delta === undefined && isObject(choice.message),
    usage: usageOf(payload.usage) ?? usageOf(choice.usage),
    timings: timingsOf(payload.timings),
    progress: progressOf(payload.prompt_progress),
    complaint:
      complaint ?? (choice.error === undefined ? undefined : (parseComplaint({ error: choice.error }) ?? undefined))
  }
}

const isFirst = (choice: unknown): choice is Json =>
  isObject(choice) && (choice.index === 0 || typeof choice.index !== "number")

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const isThought = (part: Json): boolean => part.type === "thinking" || part.type === "reasoning"

const wordsIn = (part: unknown): string => (isObject(part) && isThought(part) ? "" : wordsOf(part))

/** The words of a part that is reasoning, which are a text or a list of parts (Mistral). */
const thoughtsIn = (part: unknown): string => {
  if (!isObject(part) || !isThought(part)) return ""
  return [part.thinking ?? part.reasoning ?? part.text].flat().map(wordsOf).join("")
}

const wordsOf = (part: unknown): string => {
  const words = isObject(part) ? part.text : part
  return typeof words === "string" ? words : ""
}

const noCalls: ReadonlyArray<CallFragment> = []

const callsOf = (message: Json): ReadonlyArray<CallFragment> => {
  const { tool_calls: calls, function_call: old } = message
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
    // Builds without `cache_n` count only the tokens that did not come from the cache, so the total is unknown.
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
