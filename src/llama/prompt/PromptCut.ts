/** The length of the last prompt, as it was sent and as the server counted it, and whether a cut was noticed. */
export interface PromptCut {
  readonly bytes: number
  readonly tokens: number
  readonly noticed: boolean
}

export const unknown: PromptCut = { bytes: 0, tokens: 0, noticed: false }

/**
 * Takes the server's count of a prompt of `bytes` bytes of text. A count that stays the same at a power of two while the
 * prompt grows is the server's limit: it cuts prompts without an error, as Ollama does beyond `num_ctx`.
 */
export const learn = (before: PromptCut, bytes: number, tokens: number): PromptCut => ({
  bytes,
  tokens,
  noticed: before.noticed || isCut(before, bytes, tokens)
})

/** True if the server counted only a part of this prompt. */
export const isCut = (before: PromptCut, bytes: number, tokens: number): boolean =>
  bytes > before.bytes && tokens === before.tokens && tokens >= 512 && tokens - 2 ** Math.floor(Math.log2(tokens)) <= 8

export const warning = (tokens: number): string =>
  `the server reads only ${tokens} tokens of each prompt, so the model misses a part of the conversation: raise its context (Ollama: num_ctx, or OLLAMA_CONTEXT_LENGTH)`
