import * as Effect from "effect/Effect"
import type { HttpConnection, Receiver } from "./HttpConnection.ts"
import type { HttpAnswer } from "./HttpHead.ts"
import { HttpInbox } from "./HttpInbox.ts"
import type { LlamaError } from "./LlamaError.ts"
import { Malformed, Unreachable } from "./LlamaError.ts"
import { unpackerOf } from "./Unpacking.ts"

type Reason = LlamaError["reason"]

/**
 * One request and its answer, on a connection of its own while it lasts. An old connection may have been closed while
 * nobody looked: a request that was sent on one and not answered is sent again.
 */
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
}

/** How often a request is sent again. */
const maxAgain = 8

/** How long the rest of a body that nobody wants may take, in milliseconds. */
const leaveMs = 1000

/** Sends a whole request on the `next` connection; `connectTimeoutMs` is what a new one may take. */
export const send = (next: () => HttpConnection, text: string, connectTimeoutMs: number): HttpExchange => {
  let connection: HttpConnection
  let again = 0
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

  const begin = () => {
    connection = next()
    if (!connection.isUsed()) {
      const detail = `no connection to ${connection.origin} within ${connectTimeoutMs} ms`
      limit = setTimeout(() => abort(Unreachable.make({ detail })), connectTimeoutMs)
    }
    connection.send(text, receiver)
  }

  /** Whether it has been sent again, since the connection was too old for it. */
  const beginAgain = (): boolean => {
    if (!connection.isUsed() || again === maxAgain) return false
    again += 1
    connection.drop(receiver)
    begin()
    return true
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
      // What had waited too long was the connection.
      if (given.status === 408 && beginAgain()) return
      answer = given
      unpack(given.headers["content-encoding"]?.trim().toLowerCase() ?? "")
    },
    onBytes: (bytes) => inbox.put(bytes),
    onEnd: (failure) => {
      clearTimeout(limit)
      if (answer === undefined && failure?._tag === "Unreachable" && beginAgain()) return
      isOver = true
      inbox.end(failure)
    },
    onRead: () => {
      changed()
      return !inbox.isFull
    }
  }

  begin()

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
    }
  }
}
