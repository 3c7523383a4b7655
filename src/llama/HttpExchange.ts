import * as Effect from "effect/Effect"
import type { HttpConnection, Receiver } from "./HttpConnection.ts"
import type { HttpAnswer } from "./HttpHead.ts"
import { HttpInbox } from "./HttpInbox.ts"
import type { LlamaError } from "./LlamaError.ts"
import { Malformed, Unreachable } from "./LlamaError.ts"
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

/** How long the rest of a body that nobody wants may take, in milliseconds. */
const leaveMs = 1000

/** Sends a whole request; `connectTimeoutMs` is what a new connection may take. */
export const send = (connection: HttpConnection, text: string, connectTimeoutMs: number): HttpExchange => {
  const isStale = connection.isUsed()
  let answer: HttpAnswer | undefined
  let aborted: Reason | undefined
  let wake: (() => void) | undefined
  let limit: NodeJS.Timeout | undefined
  let isOver = false

  const changed = () => {
    const waiter = wake
    wake = undefined
    waiter?.()
  }
  const inbox = new HttpInbox(changed, () => connection.resume(receiver))

  const abort = (reason: Reason) => {
    clearTimeout(limit)
    aborted ??= reason
    inbox.discard()
    connection.drop(receiver)
    changed()
  }

  const unpack = (encoding: string) => {
    if (encoding === "" || encoding === "identity") return
    const unpacker = unpackerOf(encoding)
    if (unpacker !== null) return inbox.unpackWith(unpacker)
    abort(Malformed.make({ detail: `the answer is packed as "${encoding}", which cannot be read` }))
  }

  const receiver: Receiver = {
    onConnect: () => clearTimeout(limit),
    onAnswer: (given) => {
      answer = given
      unpack(given.headers["content-encoding"]?.trim().toLowerCase() ?? "")
    },
    onBytes: (bytes) => inbox.put(bytes),
    onEnd: (failure) => {
      clearTimeout(limit)
      isOver = true
      inbox.end(failure)
    },
    onRead: () => {
      changed()
      return !inbox.isFull
    }
  }

  if (!isStale) {
    const detail = `no connection to ${connection.origin} within ${connectTimeoutMs} ms`
    limit = setTimeout(() => abort(Unreachable.make({ detail })), connectTimeoutMs)
  }
  connection.send(text, receiver)

  /** What `look` finds, as soon as it finds anything. */
  const waitFor = <A>(look: () => A | Reason | undefined): Effect.Effect<A, Reason> => {
    const attempt: Effect.Effect<A, Reason> = Effect.suspend(() => {
      const found = aborted ?? look()
      if (found !== undefined) return found instanceof Error ? Effect.fail(found) : Effect.succeed(found)
      return Effect.callback<A, Reason>((resume) => {
        wake = () => resume(attempt)
        return Effect.sync(() => {
          wake = undefined
        })
      })
    })
    return attempt
  }

  return {
    answer: waitFor<HttpAnswer>(() => answer ?? inbox.failure),
    read: waitFor<Uint8Array | null>(() => inbox.take()),
    isWaiting: () => wake !== undefined,
    abort,
    leave: () => {
      if (isOver || aborted !== undefined) return
      inbox.discard()
      limit = setTimeout(() => connection.drop(receiver), leaveMs)
      limit.unref()
      connection.resume(receiver)
    },
    isStale: () => isStale
  }
}
