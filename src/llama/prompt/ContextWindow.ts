import type { Overflow } from "../LlamaError.ts"

/** What is known of the window, and of how much text a token is. */
export interface ContextWindow {
  /** Null: nobody has said. */
  readonly tokens: number | null
  /** What fits in spite of what was said, in tokens, where a prompt of less than the window was refused; null: nothing else. */
  readonly fits: number | null
  readonly bytesPerToken: number
  /** Whether the server has counted a prompt of ours, or it is still a guess. */
  readonly measured: boolean
  /** The most that an answer may ask for, in tokens, once a request has been too much; null: what is configured. */
  readonly answer: number | null
}

/** A guess that rather sends too little. */
export const unknown: ContextWindow = { tokens: null, fits: null, bytesPerToken: 3, measured: false, answer: null }

/** A change of less than this is no reason to trim anew, which would cost the prompt cache. */
const tolerance = 0.12

/** The server has counted a prompt of `bytes` bytes of text. */
export const learnPrompt = (window: ContextWindow, bytes: number, promptTokens: number): ContextWindow => {
  if (promptTokens < 32) return window
  const bytesPerToken = Math.min(6, Math.max(1, bytes / promptTokens))
  const near = Math.abs(bytesPerToken / window.bytesPerToken - 1) < tolerance
  return window.measured && near ? window : { ...window, bytesPerToken, measured: true }
}

export const learnWindow = (window: ContextWindow, tokens: number): ContextWindow =>
  window.tokens === tokens ? window : { ...window, tokens, fits: null }

/**
 * The server has refused a prompt of `bytes` bytes of text; if it did not say what would fit, four fifths may: the
 * window may be shared with others. Some servers refuse a prompt that fits if the answer's cap does not fit beside it, so from now on the cap is smaller.
 */
export const learnOverflow = (window: ContextWindow, overflow: Overflow, bytes: number): ContextWindow => {
  const counted = overflow.usedTokens === undefined ? window : learnPrompt(window, bytes, overflow.usedTokens)
  if (overflow.windowTokens !== undefined) {
    return { ...counted, tokens: overflow.windowTokens, fits: null, answer: Math.floor(overflow.windowTokens / 4) }
  }
  const fits = Math.floor((bytes / counted.bytesPerToken) * 0.8)
  return { ...counted, fits, answer: Math.floor(Math.min(fits, counted.tokens ?? fits) / 4) }
}

/** How much of the budget is left to a prompt that has just been refused: all, where only the answer was too much. */
export const shareAfter = ({ usedTokens, windowTokens }: Overflow): number =>
  usedTokens !== undefined && windowTokens !== undefined && usedTokens <= windowTokens * 0.75 ? 1 : 0.6

/** The cap of an answer in tokens, of which `configured` is the most; 0: none. */
export const answerCap = (window: ContextWindow, configured: number): number =>
  window.answer === null ? configured : Math.min(configured || Infinity, window.answer)

/**
 * How many bytes of text a prompt may have, null: any number. A reserve is kept for the answer: a quarter of the window,
 * at most 8,192 tokens and at most `maxAnswer` (0: no cap). `maxTokens` bounds it from above (0: the window does).
 */
export const budget = (window: ContextWindow, maxAnswer: number, maxTokens: number): number | null => {
  const known = Math.min(window.tokens ?? Infinity, window.fits ?? Infinity)
  const reserve = known === Infinity ? 0 : Math.min(known / 4, 8192, maxAnswer || Infinity)
  const tokens = Math.min(known - reserve, maxTokens || Infinity)
  return tokens === Infinity ? null : Math.floor(tokens * window.bytesPerToken)
}
