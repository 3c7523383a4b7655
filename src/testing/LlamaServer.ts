import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Answer, RawAnswer } from "./LlamaAnswers.ts"
import { refuse, say, toBytes } from "./LlamaAnswers.ts"
import type { ServerProfile } from "./ServerProfiles.ts"

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  /** What follows the path, with its `?`; empty if nothing does. */
  readonly query: string
  readonly headers: IncomingHttpHeaders
  /** Parsed if it is JSON, else the text. */
  readonly body: any
  /** Epoch milliseconds. */
  readonly at: number
  /**
   * When the client closed the connection before the answer was complete, in epoch milliseconds; absent if it did not.
   */
  closedAt?: number
}

type ToAnswer = Answer | RawAnswer | Promise<Answer | RawAnswer>

export interface LlamaServerOptions {
  /** 0, the default: any free port. */
  readonly port?: number
  readonly model?: string
  /** The context window in tokens. A longer prompt is refused as llama-server does; by default none is. */
  readonly contextTokens?: number
  /** Counts the tokens of a prompt; four characters each by default. */
  readonly countTokens?: (text: string) => number
  /** The answer to chat requests; a function gets each request and its index. `Hello.` by default. */
  readonly answer?: Answer | RawAnswer | ((request: ReceivedRequest, index: number) => ToAnswer)
  /** Another kind of server, whose pages and refusals take the place of llama-server's. */
  readonly profile?: ServerProfile
  /** Answers by path, in place of llama-server's. */
  readonly pages?: { readonly [path: string]: Answer | RawAnswer }
}

/** A stand-in for llama-server with scripted answers, correct or broken. */
export interface LlamaServer {
  readonly url: string
  /** The chat requests so far, oldest first. */
  readonly chats: ReadonlyArray<ReceivedRequest>
  /** All requests so far. */
  readonly requests: ReadonlyArray<ReceivedRequest>
  /** Tokens that the last two prompts have in common at their start, which a real server takes from its cache. */
  readonly cachedTokens: number
  readonly promptTokens: number
  /** Sets the answer to chat requests from now on. */
  answer(answer: LlamaServerOptions["answer"] & {}): void
  /** True: answers 503 on every path, as while the model loads. */
  loading(is: boolean): void
  /** Waits for the n-th chat request, from 1. */
  received(count: number): Promise<ReceivedRequest>
  /**
   * Waits until the client has closed the connection of the n-th chat request, from 1, before the end of its answer.
   */
  dropped(count: number): Promise<ReceivedRequest>
  /** Closes the port and all connections, like a killed server. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  restart(): Promise<void>
}

/** Starts a stand-in server that is stopped with its scope. */
export const make = (options: LlamaServerOptions = {}): Effect.Effect<LlamaServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => start(options)),
    (server) => Effect.promise(() => server.stop())
  )

/** Starts a stand-in server that the caller stops, for plain scripts. */
export const start = async (options: LlamaServerOptions = {}): Promise<LlamaServer> => {
  const { createServer } = process.getBuiltinModule("node:http")
  const requests: Array<ReceivedRequest> = []
  const chats: Array<ReceivedRequest> = []
  const waiting = new Set<() => void>()
  let { answer } = options
  let loading = false
  let lastPrompt = ""
  let counts = { prompt: 0, cached: 0 }
  const countTokens = options.countTokens ?? ((text: string) => Math.ceil(text.length / 4))

  const until = (match: () => ReceivedRequest | undefined): Promise<ReceivedRequest> =>
    new Promise((resolve) => {
      const look = () => {
        const request = match()
        if (request === undefined) return
        waiting.delete(look)
        resolve(request)
      }
      waiting.add(look)
      look()
    })
  const changed = () => [...waiting].forEach((look) => look())

  const toChat = (request: ReceivedRequest): ToAnswer => {
    const prompt = JSON.stringify([request.body?.tools ?? [], request.body?.messages ?? []])
    const refusal = options.profile?.refusal(request.body)
    if (refusal !== undefined) return refusal
    const most = options.profile?.promptTokens ?? Infinity
    const cached = countTokens(prompt.slice(0, commonLength(lastPrompt, prompt)))
    counts = { prompt: Math.min(most, countTokens(prompt)), cached: Math.min(most, cached) }
    if (options.contextTokens !== undefined && counts.prompt > options.contextTokens) {
      const message = `request (${counts.prompt} tokens) exceeds the available context size (${options.contextTokens} tokens), try increasing it`
      const numbers = { n_prompt_tokens: counts.prompt, n_ctx: options.contextTokens }
      return refuse(400, message, "exceed_context_size_error", numbers)
    }
    lastPrompt = prompt
    if (typeof answer === "function") return answer(request, chats.length - 1)
    return answer ?? say({ text: "Hello.", usage: { ...counts, completion: 2 } })
  }

  const pageOf = ({ path, query }: ReceivedRequest): Answer | RawAnswer => {
    const page = options.pages?.[path] ?? options.profile?.page(path, new URLSearchParams(query))
    if (page !== undefined) return page
    const json = (value: unknown): Answer => ({
      headers: { "Content-Type": "application/json; charset=utf-8" },
      pieces: [JSON.stringify(value)]
    })
    const { model = "standin", contextTokens = 4096 } = options
    switch (path) {
      case "/health":
        return json({ status: "ok" })
      case "/props":
        return json({ default_generation_settings: { n_ctx: contextTokens }, total_slots: 1, model_alias: model })
      case "/v1/models":
        return json({ object: "list", data: [{ id: model, object: "model", meta: { n_ctx: contextTokens } }] })
      default:
        return refuse(404, "File Not Found", "not_found_error")
    }
  }

  const server = createServer(async (incoming, outgoing) => {
    const text = await bodyOf(incoming)
    const [path = "/", query] = (incoming.url ?? "/").split(/(?=\?)/)
    const request: ReceivedRequest = {
      method: incoming.method ?? "",
      path,
      query: query ?? "",
      headers: incoming.headers,
      body: parse(text),
      at: Date.now()
    }
    requests.push(request)
    const isChat = path === "/v1/chat/completions"
    if (isChat && !loading) chats.push(request)
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) request.closedAt = Date.now()
      changed()
    })
    changed()
    if (loading) return void send(refuse(503, "Loading model", "unavailable_error"), outgoing)
    void send(await (isChat && options.pages?.[path] === undefined ? toChat(request) : pageOf(request)), outgoing)
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(port, "127.0.0.1", () => {
        server.off("error", reject)
        resolve()
      })
    })
  await listen(options.port ?? 0)
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    chats,
    requests,
    get cachedTokens() {
      return counts.cached
    },
    get promptTokens() {
      return counts.prompt
    },
    answer(next) {
      answer = next
    },
    loading(is) {
      loading = is
    },
    received: (count) => until(() => chats[count - 1]),
    dropped: (count) => until(() => (chats[count - 1]?.closedAt === undefined ? undefined : chats[count - 1])),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    restart: () => listen(port)
  }
}

const send = async (answer: Answer | RawAnswer, outgoing: ServerResponse): Promise<void> => {
  const { socket } = outgoing
  if (socket === null) return
  if ("raw" in answer) {
    for (const part of parts([answer.raw], answer.chunkBytes)) await write(part, socket)
    if (answer.ending !== "hang") socket.end()
    return
  }
  await pause(answer.headDelayMs ?? 0)
  outgoing.writeHead(answer.status ?? 200, { "Content-Type": "text/event-stream", ...answer.headers })
  outgoing.flushHeaders()
  const pings = answer.pingMs === undefined ? undefined : setInterval(() => outgoing.write(":\n\n"), answer.pingMs)
  outgoing.once("close", () => clearInterval(pings))
  for (const piece of answer.pieces) {
    await pause(typeof piece === "number" ? piece : (answer.pieceDelayMs ?? 0))
    if (outgoing.destroyed) return
    if (typeof piece === "number") continue
    for (const part of parts([toBytes(piece)], answer.chunkBytes)) await write(part, outgoing)
  }
  if (answer.ending === "hang") return
  // Node writes the last parts of a body at the end of the tick.
  if (answer.ending === "cut") return void setImmediate(() => socket.destroySoon())
  outgoing.end()
}

const pause = (ms: number) => (ms === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms)))

/** Writes, and waits while the client does not read. */
const write = (bytes: Uint8Array, to: ServerResponse | Socket): Promise<void> | undefined => {
  if (to.destroyed || to.write(bytes)) return undefined
  return new Promise((resolve) => {
    const done = () => {
      to.off("drain", done).off("close", done)
      resolve()
    }
    to.on("drain", done).on("close", done)
  })
}

const parts = (pieces: ReadonlyArray<Uint8Array>, size: number | undefined): ReadonlyArray<Uint8Array> => {
  if (size === undefined) return pieces
  const whole = Buffer.concat(pieces)
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.subarray(at * size, (at + 1) * size))
}

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  const read: Array<Uint8Array> = []
  try {
    for await (const part of incoming) read.push(part)
  } catch {
    return ""
  }
  return Buffer.concat(read).toString("utf8")
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const commonLength = (one: string, other: string): number => {
  let length = 0
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1
  return length
}
