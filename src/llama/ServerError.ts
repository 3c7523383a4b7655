import { isObject } from "effect/Predicate"
import { Overflow, Rejected } from "./LlamaError.ts"
import { windowSize } from "./TokenCount.ts"

/** What a server says in an error's body, in whatever shape: its words, and the kind and numbers where it gives them. */
export interface Complaint {
  readonly words: string
  readonly type?: string
  readonly usedTokens?: number
  readonly windowTokens?: number
}

/**
 * The complaint in a parsed body, or null where it is none: `{error: {message, type}}`, `{error: "…"}`,
 * `{object: "error", message}`, `{type: "error", …}`, `{code, message}`, `{detail}`, a bare string.
 */
export const complaint = (body: unknown): Complaint | null => {
  if (typeof body === "string") return body.trim() === "" ? null : { words: bounded(body.trim()) }
  if (!isObject(body)) return null
  const { error, detail } = body
  if (typeof error === "string" && error !== "") return { words: bounded(error) }
  if (Array.isArray(error)) return { words: written(error) }
  if (isObject(error)) return fromError(error)
  if (body.object === "error" || body.type === "error") return fromError(body)
  if (typeof body.message === "string" && body.choices === undefined) return fromError(body)
  if (detail === undefined || body.choices !== undefined) return null
  if (isObject(detail) && !Array.isArray(detail)) return fromError(detail)
  return { words: typeof detail === "string" ? bounded(detail) : written(detail) }
}

/** A complaint as the error it stands for; one that speaks of the context being exceeded is an overflow (contract 6). */
export const toReason = (said: Complaint, status: number): Overflow | Rejected => {
  if (!speaksOfOverflow(said)) return Rejected.make({ status, detail: said.words })
  const usedTokens = said.usedTokens ?? numberIn(said.words, used)
  const windowTokens = said.windowTokens ?? numberIn(said.words, window)
  return Overflow.make({
    detail: said.words,
    ...(usedTokens === undefined ? {} : { usedTokens }),
    ...(windowTokens === undefined ? {} : { windowTokens })
  })
}

const fromError = (error: { readonly [key: PropertyKey]: unknown }): Complaint => {
  const message = [error.message, error.msg, error.error, error.detail, error.type].find(
    (text): text is string => typeof text === "string" && text !== ""
  )
  const usedTokens = windowSize(error.n_prompt_tokens)
  const windowTokens = windowSize(error.n_ctx)
  return {
    words: message === undefined ? written(error) : bounded(message),
    ...(typeof error.type === "string" ? { type: error.type } : {}),
    ...(usedTokens === undefined ? {} : { usedTokens }),
    ...(windowTokens === undefined ? {} : { windowTokens })
  }
}

/** What is kept of a server's words. They stand in three events, in the session and in its database. */
const maxWords = 2000

const bounded = (words: string): string =>
  words.length > maxWords ? `${words.slice(0, maxWords)}… (${words.length} characters)` : words

const written = (value: unknown): string => bounded(JSON.stringify(value))

const speaksOfOverflow = (said: Complaint): boolean =>
  said.type === "exceed_context_size_error" ||
  said.type === "context_length_exceeded" ||
  overflowWords.some((pattern) => pattern.test(said.words))

const overflowWords = [
  /context (size|length|window|limit)[^.]*exceed/i,
  /exceed[a-z]*\b[^.]*\b(context|n_ctx|max_model_len|maximum (model|sequence) length)/i,
  /(maximum|max) context (length|size|window)/i,
  /(larger|longer|greater|bigger|more) than (the )?[^.]*(context|n_ctx)/i,
  /too (long|large|big)[^.]*\bcontext/i,
  /context[^.]*(overflow|too (small|short)|is full)/i,
  /(prompt|input|request) (is|are) too (long|large)/i,
  /context_length_exceeded|exceed_context_size/i
]

const used = [
  /\((\d+) in the (?:messages|prompt)/i,
  /(\d+) input tokens/i,
  /\((\d+) tokens\)/,
  /requested (\d+) tokens/i,
  /resulted in (\d+) tokens/i,
  /keep the first (\d+) tokens/i,
  /(?:prompt|input)[^.\d]*(\d+) tokens/i,
  /n_prompt_tokens\D{1,4}(\d+)/i
]

const window = [/context (?:size|length|window)[^.\d]*(\d+)/i, /n_ctx\D{1,4}(\d+)/i, /max_model_len\D{1,4}(\d+)/i]

const numberIn = (words: string, patterns: ReadonlyArray<RegExp>): number | undefined => {
  for (const pattern of patterns) {
    const found = windowSize(Number(pattern.exec(words)?.[1]))
    if (found !== undefined) return found
  }
  return undefined
}
