import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { traceOf, wordsOf } from "../domain/Failure.ts"
import { eventLine, failureLine, type ResponseErrorCode, successLine } from "../protocol/Frame.ts"
import type { StdoutSink } from "../stdio/StdoutSink.ts"

/** The response to one request. It is written once: later attempts have no effect (contract 3). */
export class Reply {
  readonly #sink: StdoutSink["Service"]
  readonly #requestId: string
  #used = false

  constructor(sink: StdoutSink["Service"], requestId: string) {
    this.#sink = sink
    this.#requestId = requestId
  }

  readonly succeed = (payload: unknown): Effect.Effect<void> => this.#once(() => successLine(this.#requestId, payload))

  /** Writes a failed response without an `error` event. */
  refuse(message: string, code: ResponseErrorCode): Effect.Effect<void> {
    return this.#once(() => failureLine(this.#requestId, message, code))
  }

  /** Writes the `error` event with the stack and the failed response in one write, so that nothing comes between. */
  fail(cause: Cause.Cause<unknown>): Effect.Effect<void> {
    return this.#once(() => {
      // An interruption of the handler means that its runtime has been closed.
      const message = Cause.hasInterruptsOnly(cause) ? shuttingDown : wordsOf(Cause.squash(cause))
      const payload = { message, code: "handler_failed", stack: traceOf(cause) }
      return eventLine({ type: "error", payload }) + failureLine(this.#requestId, message, "handler_failed")
    })
  }

  /** Uninterruptible, so that a reply that counts as used is written. */
  #once(lines: () => string): Effect.Effect<void> {
    return Effect.uninterruptible(
      Effect.suspend(() => {
        if (this.#used) return Effect.void
        // Encoded first: if the payload cannot be encoded, the reply stays unused and `fail` can report that.
        const encoded = lines()
        this.#used = true
        return this.#sink.answer(encoded)
      })
    )
  }
}

export const shuttingDown = "shutting down"
