import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Agent } from "node:http"
import type { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import type { LlamaError } from "./LlamaError.ts"
import { Cut, Malformed, Unreachable } from "./LlamaError.ts"
import { encodingOf, unpacked } from "./Unpacking.ts"

type Reason = LlamaError["reason"]

export interface HttpRequest {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string
  /** Milliseconds until the server must have accepted the connection. */
  readonly connectTimeoutMs: number
}

/** One request and its answer, on a connection of its own while it lasts. */
export interface Exchange {
  /** Status and headers. `Unreachable` where nothing came, `Malformed` where what came is no HTTP. */
  readonly answer: Effect.Effect<HttpAnswer, Reason>
  /** What has arrived of the body, as soon as there is anything; null at its proper end. Read by one fiber at a time. */
  readonly read: Effect.Effect<Uint8Array | null, Reason>
  /** Whether somebody waits for the server right now. */
  readonly isWaiting: () => boolean
  /** Closes the connection at once; who waits is failed with the reason. */
  readonly abort: (reason: Reason) => void
  /** The rest of the body means nothing: let it run out so that the connection can be used again. */
  readonly leave: () => void
  /** The connection was an old one, which the server may have closed while the request was on its way. */
  readonly isStale: () => boolean
}

export interface HttpAnswer {
  readonly status: number
  readonly statusText: string
  readonly headers: IncomingHttpHeaders
}

/** Opens exchanges; idle connections are kept for the next one until the server closes them. */
export interface HttpTransport {
  readonly open: (request: HttpRequest) => Exchange
  readonly close: () => void
}

/**
 * HTTP on node's own client, which sets no limit of its own on silence and stops reading the socket while nobody reads
 * the body. The modules are loaded with the first request.
 */
export const make = (): HttpTransport => {
  const agents = new Map<string, Agent>()
  return {
    open: (request) => {
      const { Agent, request: send } = process.getBuiltinModule(
        request.url.startsWith("https:") ? "node:https" : "node:http"
      )
      const url = new URL(request.url)
      const agent = agents.get(url.protocol) ?? new Agent({ keepAlive: true })
      agents.set(url.protocol, agent)
      const length = request.body === undefined ? {} : { "Content-Length": Buffer.byteLength(request.body) }
      const sent = send(url, { agent, method: request.method, headers: { ...request.headers, ...length } })
      const exchange = follow(sent, request.connectTimeoutMs)
      sent.end(request.body)
      return exchange
    },
    close: () => agents.forEach((agent) => agent.destroy())
  }
}

/** What may wait to be read before the socket is read no further. */
const maxArrivedBytes = 64 * 1024

/** How long the rest of a body that nobody wants may take, in milliseconds. */
const leaveMs = 1000

const follow = (request: ClientRequest, connectTimeoutMs: number): Exchange => {
  let answer: IncomingMessage | undefined
  let body: Readable | undefined
  let arrived: Array<Uint8Array> = []
  let arrivedBytes = 0
  let failure: Reason | undefined
  let aborted = false
  let ended = false
  let wake: (() => void) | undefined
  const changed = () => {
    const waiter = wake
    wake = undefined
    waiter?.()
  }
  const fail = (reason: Reason) => {
    failure ??= reason
    changed()
  }
  const abort = (reason: Reason) => {
    aborted = true
    fail(reason)
    request.destroy()
  }

  const connecting = setTimeout(
    () => abort(Unreachable.make({ detail: `no connection to ${request.host} within ${connectTimeoutMs} ms` })),
    connectTimeoutMs
  )
  const connected = () => clearTimeout(connecting)
  request.once("socket", (socket) => {
    if (!socket.connecting) return connected()
    socket.once("connect", connected)
  })
  request.on("error", (error) => {
    connected()
    fail(answer === undefined ? unanswered(error) : broken(error))
  })
  request.once("close", () => {
    connected()
    // What is packed may be whole and not yet unpacked.
    if (answer?.complete !== true) fail(answer === undefined ? Unreachable.make({ detail: closed }) : broken())
  })
  request.once("response", (response) => {
    connected()
    answer = response
    const plain = unpacked(response)
    if (plain === null) {
      return abort(
        Malformed.make({ detail: `the answer is packed as "${encodingOf(response)}", which cannot be read` })
      )
    }
    body = plain
    // Not "readable": a body that breaks off takes with it what nobody had read yet.
    plain.on("data", (bytes: Uint8Array) => {
      if (arrived.push(bytes) === 1) process.nextTick(changed)
      arrivedBytes += bytes.length
      if (arrivedBytes > maxArrivedBytes) plain.pause()
    })
    plain.once("end", () => {
      ended = true
      changed()
    })
    plain.on("error", (error) => fail(broken(error)))
    changed()
  })

  const takeArrived = (): Uint8Array => {
    const [first] = arrived
    const bytes = first !== undefined && arrived.length === 1 ? first : Buffer.concat(arrived, arrivedBytes)
    arrived = []
    arrivedBytes = 0
    if (body?.isPaused() === true) body.resume()
    return bytes
  }

  const waitFor = <A>(take: () => Effect.Effect<A, Reason> | undefined): Effect.Effect<A, Reason> => {
    const attempt: Effect.Effect<A, Reason> = Effect.suspend(
      () =>
        take() ??
        Effect.callback<A, Reason>((resume) => {
          wake = () => resume(attempt)
          return Effect.sync(() => {
            wake = undefined
          })
        })
    )
    return attempt
  }

  return {
    answer: waitFor(() => {
      if (answer === undefined) return failure === undefined ? undefined : Effect.fail(failure)
      const { statusCode = 0, statusMessage = "", headers } = answer
      return Effect.succeed({ status: statusCode, statusText: statusMessage, headers })
    }),
    read: waitFor<Uint8Array | null>(() => {
      if (arrivedBytes > 0 && !aborted) return Effect.succeed(takeArrived())
      if (ended) return Effect.succeed(null)
      return failure === undefined ? undefined : Effect.fail(failure)
    }),
    isWaiting: () => wake !== undefined,
    abort,
    leave: () => {
      if (ended || answer === undefined || body === undefined) return
      body.removeAllListeners("data").resume()
      const limit = setTimeout(() => request.destroy(), leaveMs)
      limit.unref()
      answer.once("close", () => clearTimeout(limit))
    },
    isStale: () => request.reusedSocket
  }
}

const unanswered = (error: Error): Reason =>
  "code" in error && String(error.code).startsWith("HPE_")
    ? Malformed.make({ detail: `what answers there is no HTTP server (${describe(error)})` })
    : Unreachable.make({ detail: error.message === "socket hang up" ? closed : describe(error) })

/** Node's words for it are "socket hang up". */
const closed = "the server closed the connection before it answered"

const broken = (error?: Error): Cut =>
  Cut.make({
    detail: `the connection broke in the middle of the answer${error === undefined ? "" : ` (${describe(error)})`}`
  })

/** A failed attempt at several addresses has no message of its own. */
const describe = (error: Error): string => {
  const inner = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : []
  return inner.length > 0 ? inner.map((each) => each.message).join("; ") : error.message || error.name
}
