import type { Overflow } from "../LlamaError.ts"

/** What the client has learned about the server's context window and its tokenizer. */
export interface ContextWindow {
  /** The size of the window; null: unknown. */
  readonly tokens: number | null
  /** The longest prompt, in tokens, if the server refused one that should have fitted; null: as long as the window. */
  readonly fits: number | null
  readonly bytesPerToken: number
  /** True if `bytesPerToken` is from a prompt that the server counted, false while it is a guess. */
  readonly measured: boolean
  /** The cap of an answer in tokens after a request was refused; null: the configured one. */
  readonly answer: number | null
}

/** Nothing is learned yet. Three bytes per token is a low guess: a prompt is rather too short than too long. */
export const unknown: ContextWindow = { tokens: null, fits: null, bytesPerToken: 3, measured: false, answer: null }

/** Smaller relative changes of `bytesPerToken` are ignored, since a new budget costs the prompt cache. */
const tolerance = 0.12

/** Learns from the server's count of a prompt with `bytes` bytes of text, unless it is too short to be precise. */
export const learnPrompt = (window: ContextWindow, bytes: number, promptTokens: number): ContextWindow => {
  if (promptTokens < 32) return window
  const bytesPerToken = Math.min(6, Math.max(1, bytes / promptTokens))
  const near = Math.abs(bytesPerToken / window.bytesPerToken - 1) < tolerance
  return window.measured && near ? window : { ...window, bytesPerToken, measured: true }
}

export const learnWindow = (window: ContextWindow, tokens: number): ContextWindow =>
  window.tokens === tokens ? window : { ...window, tokens, fits: null }

/**
 * Learns from the refusal of a prompt with `bytes` bytes of text. If the server did not send the size of its window,
 * four fifths of the prompt are taken to fit: the window may be shared with other clients. Some servers refuse a prompt
 * that fits if the answer's cap does not fit as well, so the cap becomes a quarter of what fits.
 */
export const learnOverflow = (window: ContextWindow, overflow: Overflow, bytes: number): ContextWindow => {
  const counted = overflow.usedTokens === undefined ? window : learnPrompt(window, bytes, overflow.usedTokens)
  if (overflow.windowTokens !== undefined) {
    return { ...counted, tokens: overflow.windowTokens, fits: null, answer: Math.floor(overflow.windowTokens / 4) }
  }
  const fits = Math.floor((bytes / counted.bytesPerToken) * 0.8)
  return { ...counted, fits, answer: Math.floor(Math.min(fits, counted.tokens ?? fits) / 4) }
}

/** The share of the budget for the attempt after an overflow: 1 if only the answer's cap was too much, else 0.6. */
export const shareAfter = ({ usedTokens, windowTokens }: Overflow): number =>
  usedTokens !== undefined && windowTokens !== undefined && usedTokens <= windowTokens * 0.75 ? 1 : 0.6

/** The cap of an answer in tokens, at most `configured`; 0: no cap. */
export const answerCap = (window: ContextWindow, configured: number): number =>
  window.answer === null ? configured : Math.min(configured || Infinity, window.answer)

/**
 * The most bytes of text in a prompt; null: any number. A quarter of the window, at most 8,192 tokens (runtime, Prompt)
 * and at most `maxAnswer` (0: no cap), is reserved for the answer. `maxTokens` is the configured maximum (0: none).
 */
export const budget = (window: ContextWindow, maxAnswer: number, maxTokens: number): number | null => {
  const known = Math.min(window.tokens ?? Infinity, window.fits ?? Infinity)
  const reserve = known === Infinity ? 0 : Math.min(known / 4, 8192, maxAnswer || Infinity)
  const tokens = Math.min(known - reserve, maxTokens || Infinity)
  return tokens === Infinity ? null : Math.floor(tokens * window.bytesPerToken)
}
