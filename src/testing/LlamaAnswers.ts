/**
 * A piece of an answer's body: an object becomes an event, text and bytes are sent as they are, a number is a pause in
 * ms.
 */
export type Piece = { readonly [key: string]: unknown } | string | Uint8Array | number

/**
 * The answer of a stand-in server to one request: a head, then the pieces of the body. The other keys delay, split or
 * break it, as servers do.
 */
export interface Answer {
  /** 200 by default. */
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly pieces: Iterable<Piece>
  /** Milliseconds before the head is sent, as if the slot were busy. */
  readonly headDelayMs?: number
  /** Milliseconds before each piece. */
  readonly pieceDelayMs?: number
  /** The body is written in parts of this many bytes, which may split lines and characters. */
  readonly chunkBytes?: number
  /** After the pieces: `end` the response (the default), `cut` the connection, or `hang` without an end. */
  readonly ending?: "end" | "cut" | "hang"
  /** Milliseconds between comment lines, which are sent until the connection closes, as a hung server does. */
  readonly pingMs?: number
}

/** The bytes of a whole HTTP response, status line, headers and framing included, as in a capture. */
export interface RawAnswer {
  readonly raw: Uint8Array
  readonly chunkBytes?: number
  readonly ending?: "end" | "cut" | "hang"
}

/** The content of an answer, for {@link say}. */
export interface AnswerContent {
  readonly reasoning?: string
  readonly text?: string
  /** The text in tokens, instead of `text`, whose tokens are about a word. */
  readonly tokens?: ReadonlyArray<string>
  readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly arguments: unknown }>
  readonly finish?: string
  readonly usage?: { readonly prompt: number; readonly cached: number; readonly completion: number }
  /** The steps of reading the prompt: tokens processed so far, of `usage.prompt`. */
  readonly prefill?: ReadonlyArray<number>
}

/** An answer in the format of a recent llama-server. */
export const say = (content: AnswerContent, delivery: Omit<Answer, "pieces"> = {}): Answer => {
  const calls = content.toolCalls ?? []
  const usage = content.usage ?? { prompt: 10, cached: 0, completion: 1 }
  return {
    ...delivery,
    pieces: [
      ...(content.prefill ?? []).map((processed) => ({
        ...chunk({ role: "assistant", content: null }),
        prompt_progress: { total: usage.prompt, cache: usage.cached, processed, time_ms: 1 }
      })),
      chunk({ role: "assistant", content: null }),
      ...toTokens(content.reasoning ?? "").map((text) => chunk({ reasoning_content: text })),
      ...(content.tokens ?? toTokens(content.text ?? "")).map((text) => chunk({ content: text })),
      ...calls.flatMap((call, index) => callPieces(call, index)),
      chunk({}, content.finish ?? (calls.length > 0 ? "tool_calls" : "stop")),
      {
        ...head,
        choices: [],
        usage: {
          prompt_tokens: usage.prompt,
          completion_tokens: usage.completion,
          total_tokens: usage.prompt + usage.completion,
          prompt_tokens_details: { cached_tokens: usage.cached }
        },
        timings: {
          cache_n: usage.cached,
          prompt_n: usage.prompt - usage.cached,
          predicted_n: usage.completion,
          predicted_per_second: 100
        }
      },
      "data: [DONE]\n\n"
    ]
  }
}

/** An error in the format of llama-server; `more` are further fields of its `error` object. */
export const refuse = (
  status: number,
  message: string,
  type = "server_error",
  more: { readonly [key: string]: unknown } = {}
): Answer => ({
  status,
  headers: { "Content-Type": "application/json; charset=utf-8" },
  pieces: [JSON.stringify({ error: { code: status, message, type, ...more } })]
})

/** An event of the stream with one choice. */
export const chunk = (delta: { readonly [key: string]: unknown }, finish: string | null = null) => ({
  choices: [{ finish_reason: finish, index: 0, delta }],
  ...head
})

/** The bytes that are sent for a piece. */
export const toBytes = (piece: Exclude<Piece, number>): Uint8Array => {
  if (piece instanceof Uint8Array) return piece
  return Buffer.from(typeof piece === "string" ? piece : `data: ${JSON.stringify(piece)}\n\n`)
}

const head = { created: 1796007912, id: "chatcmpl-standin", model: "standin", object: "chat.completion.chunk" }

const toTokens = (text: string): ReadonlyArray<string> => text.match(/\s*\S+|\s+$/gu) ?? []

const callPieces = (call: { readonly name: string; readonly arguments: unknown }, index: number) => {
  const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments)
  const opening = {
    index,
    id: `call${index}`,
    type: "function",
    function: { name: call.name.replaceAll(".", "_"), arguments: text.slice(0, 2) }
  }
  return [
    chunk({ tool_calls: [opening] }),
    ...(text.slice(2).match(/[^]{1,12}/gu) ?? []).map((part) =>
      chunk({ tool_calls: [{ index, function: { arguments: part } }] })
    )
  ]
}
