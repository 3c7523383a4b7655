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
  inWords,
  malformed,
  unreachable
} from "./HttpError.ts"

/** One request, to be sent to `url`. */
export interface HttpRequest {
  readonly method: string
  /** `http:` or `https:`. */
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
  /** Milliseconds until a new connection must stand, TLS included; absent: no limit. */
  readonly connectTimeoutMs?: number
  /** Yields the body as it was sent, without undoing its `Content-Encoding`. */
  readonly keepsEncoding?: boolean
}

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number
  readonly statusText: string
  /** By names in lower case. */
  readonly headers: IncomingHttpHeaders
}

/** One request and its response. */
export interface HttpExchange {
  readonly head: Effect.Effect<ResponseHead, HttpError>
  /** What has arrived of the body, as soon as there is anything; null at its proper end. Read by one fiber at a time. */
  readonly read: Effect.Effect<Uint8Array | null, HttpError>
  /** True while a fiber waits for the server. */
  readonly isWaiting: () => boolean
  /** Closes the connection at once. Whoever waits or reads later fails with this detail. */
  readonly abort: (detail: string) => void
  /** Lets the rest of the body run out unread, so that the connection can be used again. */
  readonly release: () => void
}

/** How often one request is sent again. */
const maxResends = 8

/** How long the rest of a released body may take, in milliseconds. */
const releaseMs = 1000

/**
 * Sends a request. The server may have closed a kept connection meanwhile: a request that got no response on one, or
 * 408, is sent again.
 */
export const send = (request: HttpRequest, url: URL, agent: Agent): HttpExchange => {
  let outgoing: ClientRequest
  let resends = 0
  let head: ResponseHead | undefined
  /** The response, and its body as it is read. */
  let incoming: IncomingMessage | undefined
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
    /** True if the request has been sent again. */
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
      else if (incoming?.complete !== true) failure ??= cut(inWords(error))
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
    // Only then has the agent been given the connection back.
    body.on("end", () => process.nextTick(changed))
    body.on("close", changed)
    changed()
  }

  begin()

  /** What `look` returns, as soon as it is not undefined. */
  const waitFor = <A>(look: () => A | HttpError | undefined): Effect.Effect<A, HttpError> => {
    const attempt: Effect.Effect<A, HttpError> = Effect.suspend(() => {
      const found = isAborted ? failure : look()
      if (found !== undefined) return found instanceof HttpError ? Effect.fail(found) : Effect.succeed(found)
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

const isSecure = ({ protocol }: URL): boolean => protocol === "https:"

const start = ({ headers, method }: HttpRequest, url: URL, agent: Agent): ClientRequest => {
  const node = process.getBuiltinModule(isSecure(url) ? "node:https" : "node:http")
  return node.request(url, { method, agent, headers })
}

/** All that waits in a stream; null where nothing does. */
const readAll = (from: Readable): Uint8Array | null => {
  const parts: Array<Uint8Array> = []
  for (let part = from.read(); part !== null; part = from.read()) parts.push(part)
  const [first = null] = parts
  return parts.length > 1 ? Buffer.concat(parts) : first
}

const skipAll = (from: Readable): void => {
  while (from.read() !== null);
}
