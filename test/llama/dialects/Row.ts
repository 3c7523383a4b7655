/** The outcome of decoding a stream; an absent field is empty. */
export interface Meaning {
  readonly text?: string
  readonly reasoning?: string
  /** `name(arguments as JSON)`, or `name!raw` where they cannot be used. */
  readonly calls?: ReadonlyArray<string>
  readonly reason?: string
  readonly usage?: readonly [prompt: number, cached: number, completion: number]
  /** The tag and the message of the failure. */
  readonly failure?: readonly [tag: string, words: string]
  readonly prefill?: ReadonlyArray<readonly [processed: number, total: number, cached: number]>
}

export type Json = { readonly [key: string]: unknown }

/** What a server streams, and what that means. */
export type Row = readonly [what: string, stream: string, means: Meaning]

export const event = (payload: unknown): string =>
  `data: ${typeof payload === "string" ? payload : JSON.stringify(payload)}\n\n`
export const delta = (words: Json, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: words, finish_reason: finish }], object: "chat.completion.chunk" })
export const text = (content: string) => delta({ content })
export const reasoning = (reasoning_content: string) => delta({ reasoning_content })
export const call = (piece: Json) => delta({ tool_calls: [piece] })
export const named = (name: string, args: unknown, more: Json = {}) =>
  call({ index: 0, id: "a", type: "function", ...more, function: { name, arguments: args } })
export const more = (args: string, extra: Json = {}) => call({ index: 0, ...extra, function: { arguments: args } })
export const stop = delta({}, "stop")
export const toolCalls = delta({}, "tool_calls")
export const length = delta({}, "length")
export const done = event("[DONE]")

export const ok: Meaning = { text: "Hi you", reason: "stop" }
export const listed: Meaning = { calls: ['fs.list({"path":"a"})'], reason: "tool_calls" }
export const failed = (tag: string, words: string, more: Meaning = {}): Meaning => ({ ...more, failure: [tag, words] })
