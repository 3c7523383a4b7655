/** A piece of an answer's body: an event as JSON, or text or bytes as they stand; a number is a pause in milliseconds. */
export type Piece = { readonly [key: string]: unknown } | string | Uint8Array | number

/**
 * What a stand-in server answers to one chat request. A server sends the head, waits where told, and then sends piece
 * by piece; every way to misbehave is a key.
 */
export interface Answer {
  /** 200 unless it says otherwise. */
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly pieces: Iterable<Piece>
  /** Milliseconds before the head is sent: a busy slot. */
  readonly headDelayMs?: number
  /** Milliseconds before each piece. */
  readonly pieceDelayMs?: number
  /** The body is written in parts of so many bytes, whatever stands in them. */
  readonly chunkBytes?: number
  /** After the pieces: `end` as it should (the default), `cut` the connection, or `hang` for ever. */
  readonly ending?: "end" | "cut" | "hang"
  /** Comment lines every so many milliseconds, all the time, as a hung server sends them. */
  readonly pingMs?: number
}

/** A whole HTTP answer byte for byte, status line, headers and framing included, as a capture holds it. */
export interface RawAnswer {
  readonly raw: Uint8Array
  readonly chunkBytes?: number
  readonly ending?: "end" | "cut" | "hang"
}

export interface Say {
  readonly reasoning?: string
  readonly text?: string
  /** The text as the tokens that it comes in; without it a token is about a word. */
  readonly tokens?: ReadonlyArray<string>
  readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly arguments: unknown }>
  readonly finish?: string
  readonly usage?: { readonly prompt: number; readonly cached: number; readonly completion: number }
  /** Progress of reading the prompt: tokens processed, of `usage.prompt`. */
  readonly prefill?: ReadonlyArray<number>
}

/** An answer as a recent llama-server streams it. */
export const say = (what: Say, how: Omit<Answer, "pieces"> = {}): Answer => {
  const calls = what.toolCalls ?? []
  const usage = what.usage ?? { prompt: 10, cached: 0, completion: 1 }
  return {
    ...how,
    pieces: [
      ...(what.prefill ?? []).map((processed) => ({
        ...chunk({ role: "assistant", content: null }),
        prompt_progress: { total: usage.prompt, cache: usage.cached, processed, time_ms: 1 }
      })),
      chunk({ role: "assistant", content: null }),
      ...words(what.reasoning ?? "").map((text) => chunk({ reasoning_content: text })),
      ...(what.tokens ?? words(what.text ?? "")).map((text) => chunk({ content: text })),
      ...calls.flatMap((call, index) => callPieces(call, index)),
      chunk({}, what.finish ?? (calls.length > 0 ? "tool_calls" : "stop")),
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

/** An error with a status of its own, in llama-server's shape; `more` stands beside its message. */
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

/** One event of the stream with one choice. */
export const chunk = (delta: { readonly [key: string]: unknown }, finish: string | null = null) => ({
  choices: [{ finish_reason: finish, index: 0, delta }],
  ...head
})

/** A piece as the bytes that are sent. */
export const toBytes = (piece: Exclude<Piece, number>): Uint8Array => {
  if (piece instanceof Uint8Array) return piece
  return Buffer.from(typeof piece === "string" ? piece : `data: ${JSON.stringify(piece)}\n\n`)
}

const head = { created: 1796007912, id: "chatcmpl-standin", model: "standin", object: "chat.completion.chunk" }

const words = (text: string): ReadonlyArray<string> => text.match(/\s*\S+|\s+$/gu) ?? []

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
