import type { ToolResult } from "../domain/ToolCall.ts"

/** What the results of one step may have together, in characters (runtime, Tools). */
export const stepCharacters = 32_000

/** A result within its share of the step's characters; every call of a batch of `calls` has the same share. */
export const boundResult = (result: ToolResult, calls: number): ToolResult => {
  const share = Math.floor(stepCharacters / Math.max(1, calls))
  if (result.summary.length <= share) return result
  return { ...result, summary: headAndTail(result.summary, share), truncated: true }
}

/**
 * A text of at most `limit` characters: two thirds of what fits from its head, the rest from its tail, and between
 * them how much is missing. Never cuts a surrogate pair in two.
 */
export const headAndTail = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const mark = (missing: number) => `\n… (${missing} characters left out) …\n`
  const room = limit - mark(text.length).length
  if (room <= 0) return text.slice(0, wholeCut(text, limit))
  const head = wholeCut(text, Math.ceil((room * 2) / 3))
  const from = text.length - (room - head)
  const tail = isLowSurrogate(text, from) ? from + 1 : from
  return text.slice(0, head) + mark(tail - head) + text.slice(tail)
}

const wholeCut = (text: string, at: number): number => (isLowSurrogate(text, at) ? at - 1 : at)

const isLowSurrogate = (text: string, index: number): boolean => {
  const code = text.charCodeAt(index)
  const before = text.charCodeAt(index - 1)
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff
}
