import type { ChatChunk } from "./answer/ChatChunk.ts"
import { narrow } from "./answer/ChatChunk.ts"

/**
 * A payload of which only the words change from one token to the next. Most of a stream is this, and taking the words
 * out of their place costs a tenth of parsing the whole payload again.
 */
export interface TextTemplate {
  readonly before: string
  readonly behind: string
  readonly field: "content" | "reasoning"
  readonly chunk: ChatChunk
}

const keys = { content: '"content":"', reasoning: '"reasoning_content":"' } as const

/** The template of a payload that has been parsed; null where its words are not found exactly once. */
export const learn = (payload: string, chunk: ChatChunk): TextTemplate | null => {
  if (chunk.whole || chunk.calls.length > 0 || chunk.finish !== undefined) return null
  if ((chunk.content === undefined) === (chunk.reasoning === undefined)) return null
  const field = chunk.content === undefined ? "reasoning" : "content"
  const key = keys[field]
  const at = payload.indexOf(key)
  if (at < 0 || payload.indexOf(key, at + 1) >= 0) return null
  const from = at + key.length
  const to = from + JSON.stringify(chunk[field] ?? "").length - 2
  if (wordsIn(payload.slice(from, to)) !== chunk[field] || payload[to] !== '"') return null
  const template: TextTemplate = { before: payload.slice(0, from), behind: payload.slice(to), field, chunk }
  // The key may belong to something else than the words: with other words there, other words must come out.
  return readAgain(`${template.before}?${template.behind}`)?.[field] === "?" ? template : null
}

const readAgain = (payload: string): ChatChunk | null => {
  try {
    return narrow(JSON.parse(payload))
  } catch {
    return null
  }
}

/** The chunk of a payload that fits the template; null where it must be parsed. */
export const fit = (template: TextTemplate, payload: string): ChatChunk | null => {
  const { before, behind, field, chunk } = template
  const end = payload.length - behind.length
  if (end <= before.length) return null
  // Five times as fast as `startsWith` and `endsWith`, which compare slices character by character.
  if (payload.slice(0, before.length) !== before || payload.slice(end) !== behind) return null
  const words = wordsIn(payload.slice(before.length, end))
  if (words === null) return null
  return field === "content" ? { ...chunk, content: words } : { ...chunk, reasoning: words }
}

/** What stands between the quotes of a JSON string; null where that is not one string. */
const wordsIn = (inner: string): string | null => {
  // A longer slice would keep the whole read alive that it was cut from; parsing copies.
  if (inner.length < 13 && !inner.includes('"') && !inner.includes("\\")) return inner
  try {
    const words: unknown = JSON.parse(`"${inner}"`)
    return typeof words === "string" ? words : null
  } catch {
    return null
  }
}
