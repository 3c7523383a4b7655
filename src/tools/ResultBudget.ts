import { cutText, tailText } from "../domain/CutText.ts"
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
  if (room <= 0) return cutText(text, limit)
  const head = cutText(text, Math.ceil((room * 2) / 3))
  const tail = tailText(text, room - head.length)
  return head + mark(text.length - head.length - tail.length) + tail
}
