import type { ToolResult } from "../domain/ToolCall.ts"

/** The budget of all results of one step, in characters (runtime, Tools). */
export const stepCharacters = 32_000

/** Cuts a result to its share of the budget; each of the `calls` of a batch has the same share. */
export const boundResult = (result: ToolResult, calls: number): ToolResult => {
  const share = Math.floor(stepCharacters / Math.max(1, calls))
  if (result.summary.length <= share) return result
  return { ...result, summary: headAndTail(result.summary, share), truncated: true }
}

/**
 * Cuts a text to at most `limit` characters: two thirds of the head, one third of the tail, and between them the number of
 * characters left out. Never cuts a surrogate pair.
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
