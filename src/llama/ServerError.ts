import { isObject } from "effect/Predicate"
import { cutText } from "../domain/CutText.ts"
import { overflow, Rejected, type Overflow } from "./LlamaError.ts"
import { windowSize } from "./TokenCount.ts"

/** The error in a response's body, whatever its shape; type and token counts if the server sent them. */
export interface Complaint {
  readonly message: string
  readonly type?: string
  readonly usedTokens?: number | undefined
  readonly windowTokens?: number | undefined
}

/**
 * Recognises the error in a parsed body; null if there is none. The known shapes are `{error: {message, type}}`,
 * `{error: "…"}`, `{object: "error", message}`, `{type: "error", …}`, `{code, message}`, `{detail}` and a bare string.
 */
export const parseComplaint = (body: unknown): Complaint | null => {
  if (typeof body === "string") return body.trim() === "" ? null : { message: bounded(body.trim()) }
  if (!isObject(body)) return null
  const { error, detail } = body
  if (typeof error === "string" && error !== "") return { message: bounded(error) }
  if (Array.isArray(error)) return { message: asJson(error) }
  if (isObject(error)) return fromError(error)
  if (body.object === "error" || body.type === "error") return fromError(body)
  if (typeof body.message === "string" && body.choices === undefined) return fromError(body)
  if (detail === undefined || body.choices !== undefined) return null
  if (isObject(detail) && !Array.isArray(detail)) return fromError(detail)
  return { message: typeof detail === "string" ? bounded(detail) : asJson(detail) }
}

/** The reason for a server's error: an overflow if it is about exceeding the context (contract 6), else a rejection. */
export const toReason = (complaint: Complaint, status: number): Overflow | Rejected => {
  if (!isOverflow(complaint)) return Rejected.make({ status, detail: complaint.message })
  const usedTokens = complaint.usedTokens ?? firstCount(complaint.message, usedPatterns)
  const windowTokens = complaint.windowTokens ?? firstCount(complaint.message, windowPatterns)
  return overflow(complaint.message, usedTokens, windowTokens)
}

const fromError = (error: { readonly [key: PropertyKey]: unknown }): Complaint => {
  const message = [error.message, error.msg, error.error, error.detail, error.type].find(
    (text): text is string => typeof text === "string" && text !== ""
  )
  return {
    message: message === undefined ? asJson(error) : bounded(message),
    ...(typeof error.type === "string" ? { type: error.type } : {}),
    usedTokens: windowSize(error.n_prompt_tokens),
    windowTokens: windowSize(error.n_ctx)
  }
}

/** How many characters of a message are kept: it is repeated in three events, in the session and in the database. */
const maxMessageLength = 2000

const bounded = (message: string): string =>
  message.length > maxMessageLength ? `${cutText(message, maxMessageLength)}… (${message.length} characters)` : message

const asJson = (value: unknown): string => bounded(JSON.stringify(value))

const isOverflow = (complaint: Complaint): boolean =>
  complaint.type === "exceed_context_size_error" ||
  complaint.type === "context_length_exceeded" ||
  overflowPatterns.some((pattern) => pattern.test(complaint.message))

const overflowPatterns = [
  /context (size|length|window|limit)[^.]*exceed/i,
  /exceed[a-z]*\b[^.]*\b(context|n_ctx|max_model_len|maximum (model|sequence) length)/i,
  /(maximum|max) context (length|size|window)/i,
  /(larger|longer|greater|bigger|more) than (the )?[^.]*(context|n_ctx)/i,
  /too (long|large|big)[^.]*\bcontext/i,
  /context[^.]*(overflow|too (small|short)|is full)/i,
  /(prompt|input|request) (is|are) too (long|large)/i,
  /context_length_exceeded|exceed_context_size/i
]

const usedPatterns = [
  /\((\d+) in the (?:messages|prompt)/i,
  /(\d+) input tokens/i,
  /\((\d+) tokens\)/,
  /requested (\d+) tokens/i,
  /resulted in (\d+) tokens/i,
  /keep the first (\d+) tokens/i,
  /(?:prompt|input)[^.\d]*(\d+) tokens/i,
  /n_prompt_tokens\D{1,4}(\d+)/i
]

const windowPatterns = [
  /context (?:size|length|window)[^.\d]*(\d+)/i,
  /n_ctx\D{1,4}(\d+)/i,
  /max_model_len\D{1,4}(\d+)/i
]

const firstCount = (message: string, patterns: ReadonlyArray<RegExp>): number | undefined => {
  for (const pattern of patterns) {
    const count = windowSize(Number(pattern.exec(message)?.[1]))
    if (count !== undefined) return count
  }
  return undefined
}
