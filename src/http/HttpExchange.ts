import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import { decoderOf } from "./ContentEncoding.ts"
import {
  aborted,
  beforeResponse,
  broken,
  closedEarly,
  cut,
  HttpError,
  detailOf,
  malformed,
  unreachable
} from "./HttpError.ts"

/** A request, with its URL, headers and limits. */
export interface HttpRequest {
  readonly method: string
  /** `http:` or `https:`. */
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
  /** Milliseconds within which a new connection must be established, TLS included; absent: no limit. */
  readonly connectTimeoutMs?: number
  /** True: the body is read as it was sent, with its `Content-Encoding`. */
  readonly keepsEncoding?: boolean
}

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number
  readonly statusText: string
  /** Keyed by lower-case names. */
  readonly headers: IncomingHttpHeaders
}

/** One request and its response. */
export interface HttpExchange {
  readonly head: Effect.Effect<ResponseHead, HttpError>
  /**
   * The bytes of the body that have arrived since the last read, as soon as there are any; null at its proper end. One
   * fiber reads at a time.
   */
  readonly read: Effect.Effect<Uint8Array | null, HttpError>
  /** True while a fiber waits for the server. */
  readonly isWaiting: () => boolean
  /** Closes the connection at once. The waiting read and all later ones fail with `aborted` and this detail. */
  readonly abort: (detail: string) => void
  /** Discards the rest of the body, for up to a second, so that the connection can be used again. */
  readonly release: () => void
}

/** The most times that one request is sent again. */
const maxResends = 8

/** How long the rest of a released body may take, in milliseconds. */
const releaseMs = 1000

/**
 * Sends a request. The server may have closed a kept connection meanwhile, so a request that got no response, or status
 * 408, on one is sent again; this is no attempt in the sense of the retry rules (contract 6).
 */
export const send = (request: HttpRequest, url: URL, agent: Agent): HttpExchange => {
  let outgoing: ClientRequest
  let resends = 0
  let head: ResponseHead | undefined
  let incoming: IncomingMessage | undefined
  /** The decoded body of `incoming`. */
  let body: Readable | undefined
  let failure: HttpError | undefined
  let isAborted = false
  let isReleased = false
  let wake: (() => void) | undefined

  const changed = () => {
    if (isReleased && body !== undefined) skipAll(body)
    const waiter = wake
    wake = undefined
    waiter?.()
  }

  const stop = (error: HttpError) => {
    failure = error
    isAborted = true
    outgoing.destroy()
    body?.destroy()
    changed()
  }

  const begin = () => {
    const own = start(request, url, agent)
    outgoing = own
    /** Sends the request again if that is allowed; true if it did. */
    const beginAgain = (): boolean => {
      if (!own.reusedSocket || resends === maxResends) return false
      resends += 1
      begin()
      own.destroy()
      return true
    }
    const end = (error: HttpError) => {
      if (own !== outgoing || head !== undefined || failure !== undefined) return
      if (error.reason === "unreachable" && beginAgain()) return
      failure = error
      changed()
    }
    if (!own.reusedSocket && request.connectTimeoutMs !== undefined) {
      const detail = `no connection to ${url.origin} within ${request.connectTimeoutMs} ms`
      const limit = setTimeout(() => stop(unreachable(detail)), request.connectTimeoutMs)
      const connected = () => clearTimeout(limit)
      own.once("socket", (socket) => socket.once(isSecure(url) ? "secureConnect" : "connect", connected))
      own.once("close", connected)
    }
    own.on("response", (response) => {
      if (response.statusCode === 408 && beginAgain()) return
      take(response)
    })
    own.on("error", (error) => {
      if (head === undefined) end(beforeResponse(error))
      else if (incoming?.complete !== true) failure ??= cut(detailOf(error))
    })
    own.on("upgrade", (_, socket) => {
      socket.destroy()
      end(malformed("the server switches to another protocol without an answer"))
    })
    own.on("close", () => end(closedEarly))
    own.end(request.body)
  }

  const take = (response: IncomingMessage) => {
    head = { status: response.statusCode ?? 0, statusText: response.statusMessage ?? "", headers: response.headers }
    const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? ""
    const isPlain = request.keepsEncoding === true || encoding === "" || encoding === "identity"
    const decoder = isPlain ? undefined : decoderOf(encoding)
    incoming = response
    body = decoder ?? response
    response.on("error", () => {
      failure ??= cut()
      decoder?.end()
    })
    decoder?.on("error", ({ message }) => (failure ??= broken(`the answer cannot be unpacked (${message})`)))
    if (decoder === null) return stop(malformed(`the answer is packed as "${encoding}", which cannot be read`))
    if (decoder !== undefined) response.pipe(decoder)
    body.on("readable", changed)
    // The agent gets the connection back in the same tick, after this event.
    body.on("end", () => process.nextTick(changed))
    body.on("close", changed)
    changed()
  }

  begin()

  /** Waits until `poll` returns a value. An abort takes precedence over it. */
  const waitFor = <A>(poll: () => A | HttpError | undefined): Effect.Effect<A, HttpError> => {
    const attempt: Effect.Effect<A, HttpError> = Effect.suspend(() => {
      const outcome = isAborted ? failure : poll()
      if (outcome !== undefined) return outcome instanceof HttpError ? Effect.fail(outcome) : Effect.succeed(outcome)
      return Effect.callback<A, HttpError>((resume) => {
        wake = () => resume(attempt)
        return Effect.sync(() => {
          wake = undefined
        })
      })
    })
    return attempt
  }

  return {
    head: waitFor<ResponseHead>(() => head ?? failure),
    read: waitFor<Uint8Array | null>(() => {
      if (body === undefined) return failure
      const bytes = readAll(body)
      if (bytes !== null) return bytes
      if (body.readableEnded) return failure ?? null
      return body.destroyed ? (failure ?? cut()) : undefined
    }),
    isWaiting: () => wake !== undefined,
    abort: (detail) => {
      if (!isAborted) stop(aborted(detail))
    },
    release: () => {
      if (isAborted || outgoing.destroyed) return
      isReleased = true
      const limit = setTimeout(() => outgoing.destroy(), releaseMs)
      limit.unref()
      outgoing.once("close", () => clearTimeout(limit))
      changed()
    }
  }
}

/** Reads a body to its end or to `maxBytes` bytes, rounded up to a whole read, as UTF-8. */
export const readText = Effect.fnUntraced(function* <E>(
  read: Effect.Effect<Uint8Array | null, E>,
  maxBytes: number
): Effect.fn.Return<string, E> {
  const parts: Array<Uint8Array> = []
  let size = 0
  while (size < maxBytes) {
    const bytes = yield* read
    if (bytes === null) break
    parts.push(bytes)
    size += bytes.length
  }
  return Buffer.concat(parts).toString("utf8")
})

const isSecure = ({ protocol }: URL): boolean => protocol === "https:"

const start = ({ headers, method }: HttpRequest, url: URL, agent: Agent): ClientRequest => {
  const node = process.getBuiltinModule(isSecure(url) ? "node:https" : "node:http")
  return node.request(url, { method, agent, headers })
}

/** All bytes buffered in a stream; null if there are none. */
const readAll = (from: Readable): Uint8Array | null => {
  const parts: Array<Uint8Array> = []
  for (let part = from.read(); part !== null; part = from.read()) parts.push(part)
  const [first = null] = parts
  return parts.length > 1 ? Buffer.concat(parts) : first
}

const skipAll = (from: Readable): void => {
  while (from.read() !== null);
}
