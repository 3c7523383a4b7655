import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { traceOf, wordsOf } from "../domain/Failure.ts"
import { eventLine, failureLine, type ResponseErrorCode, successLine } from "../protocol/Frame.ts"
import type { StdoutSink } from "../stdio/StdoutSink.ts"

/** The one answer to one request: whoever comes first writes it, everyone else finds it used (contract 3). */
export class Reply {
  readonly #sink: StdoutSink["Service"]
  readonly #requestId: string
  #used = false

  constructor(sink: StdoutSink["Service"], requestId: string) {
    this.#sink = sink
    this.#requestId = requestId
  }

  readonly succeed = (payload: unknown): Effect.Effect<void> => this.#once(() => successLine(this.#requestId, payload))

  /** The response alone. */
  refuse(message: string, code: ResponseErrorCode): Effect.Effect<void> {
    return this.#once(() => failureLine(this.#requestId, message, code))
  }

  /** The `error` event with the stack, then the response with the same message, in one write: nothing comes between. */
  fail(cause: Cause.Cause<unknown>): Effect.Effect<void> {
    return this.#once(() => {
      const message = messageOf(cause)
      const payload = { message, code: "handler_failed", stack: traceOf(cause) }
      return eventLine({ type: "error", payload }) + failureLine(this.#requestId, message, "handler_failed")
    })
  }

  /** Nothing interrupts it between the use and the write. */
  #once(lines: () => string): Effect.Effect<void> {
    return Effect.uninterruptible(
      Effect.suspend(() => {
        if (this.#used) return Effect.void
        // First: a payload that cannot be written must leave the reply to whoever tells so.
        const written = lines()
        this.#used = true
        return this.#sink.answer(written)
      })
    )
  }
}

/** What a failed response says; a handler that was interrupted lost its runtime. */
export const messageOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return shuttingDown
  return wordsOf(Cause.squash(cause))
}

export const shuttingDown = "shutting down"
