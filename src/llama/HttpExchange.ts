import type { Transform } from "node:stream"
import * as Effect from "effect/Effect"
import type { HttpConnection, Receiver } from "./HttpConnection.ts"
import type { HttpAnswer } from "./HttpHead.ts"
import type { LlamaError } from "./LlamaError.ts"
import { Cut, Malformed, Unreachable } from "./LlamaError.ts"
import { unpackerOf } from "./Unpacking.ts"

type Reason = LlamaError["reason"]

/** One request and its answer, on a connection of its own while it lasts. */
export interface HttpExchange {
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

/** What may wait to be read before the socket is read no further, in bytes. */
const maxArrivedBytes = 64 * 1024

/** How long the rest of a body that nobody wants may take, in milliseconds. */
const leaveMs = 1000

/** Sends a whole request; `connectTimeoutMs` is what a new connection may take. */
export const send = (connection: HttpConnection, text: string, connectTimeoutMs: number): HttpExchange => {
  const isStale = connection.isUsed()
  let answer: HttpAnswer | undefined
  let unpacker: Transform | undefined
  let arrived: Array<Uint8Array> = []
  let arrivedBytes = 0
  let failure: Reason | undefined
  let ended = false
  let unwanted = false
  let wake: (() => void) | undefined
  let limit: NodeJS.Timeout | undefined
  const changed = () => {
    const waiter = wake
    wake = undefined
    waiter?.()
  }
  const arrive = (bytes: Uint8Array) => {
    arrived.push(bytes)
    arrivedBytes += bytes.length
  }
  const abort = (reason: Reason) => {
    clearTimeout(limit)
    unwanted = true
    failure ??= reason
    unpacker?.destroy()
    connection.drop(receiver)
    changed()
  }

  const unpack = (encoding: string) => {
    if (encoding === "" || encoding === "identity") return
    const found = unpackerOf(encoding)
    if (found === null) {
      return abort(Malformed.make({ detail: `the answer is packed as "${encoding}", which cannot be read` }))
    }
    unpacker = found
    found.on("data", (bytes: Uint8Array) => {
      arrive(bytes)
      if (arrivedBytes > maxArrivedBytes) found.pause()
      changed()
    })
    found.on("drain", () => connection.resume(receiver))
    found.on("error", ({ message }) => abort(Cut.make({ detail: `the answer cannot be unpacked (${message})` })))
    found.once("end", () => {
      ended = true
      changed()
    })
  }

  const receiver: Receiver = {
    onConnect: () => clearTimeout(limit),
    onAnswer: (given) => {
      answer = given
      unpack(given.headers["content-encoding"]?.trim().toLowerCase() ?? "")
    },
    onBytes: (bytes) => {
      if (unwanted) return
      const own = Buffer.allocUnsafe(bytes.length)
      own.set(bytes)
      if (unpacker === undefined) arrive(own)
      else unpacker.write(own)
    },
    onEnd: () => {
      clearTimeout(limit)
      if (unpacker === undefined) ended = true
      else unpacker.end()
    },
    onFailure: (reason) => {
      clearTimeout(limit)
      failure ??= reason
      // What came before is still worth reading.
      unpacker?.end()
    },
    onRead: () => {
      changed()
      return unpacker === undefined ? arrivedBytes <= maxArrivedBytes : !unpacker.writableNeedDrain
    }
  }
  if (!isStale) {
    const late = () =>
      Unreachable.make({ detail: `no connection to ${connection.origin} within ${connectTimeoutMs} ms` })
    limit = setTimeout(() => abort(late()), connectTimeoutMs)
  }
  connection.send(text, receiver)

  const takeArrived = (): Uint8Array => {
    const [first] = arrived
    const bytes = first !== undefined && arrived.length === 1 ? first : Buffer.concat(arrived, arrivedBytes)
    arrived = []
    arrivedBytes = 0
    if (unpacker === undefined) connection.resume(receiver)
    else unpacker.resume()
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
      if (answer !== undefined && !unwanted) return Effect.succeed(answer)
      return failure === undefined ? undefined : Effect.fail(failure)
    }),
    read: waitFor<Uint8Array | null>(() => {
      if (arrivedBytes > 0 && !unwanted) return Effect.succeed(takeArrived())
      if (ended && failure === undefined) return Effect.succeed(null)
      return failure === undefined || (unpacker !== undefined && !ended && !unwanted) ? undefined : Effect.fail(failure)
    }),
    isWaiting: () => wake !== undefined,
    abort,
    leave: () => {
      if (ended || failure !== undefined) return
      unwanted = true
      arrivedBytes = 0
      unpacker?.destroy()
      limit = setTimeout(() => connection.drop(receiver), leaveMs)
      limit.unref()
      connection.resume(receiver)
    },
    isStale: () => isStale
  }
}
