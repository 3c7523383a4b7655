import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { eventLine, failureLine, type ResponseErrorCode, successLine } from "../protocol/Frame.ts"
import type { StdoutSink } from "../stdio/StdoutSink.ts"

/** The one answer to one request: whoever comes first writes it, everyone else finds it used (contract 3). */
export interface Reply {
  readonly used: boolean
  succeed(payload: unknown): Effect.Effect<void>
  /** The response alone. */
  refuse(message: string, code: ResponseErrorCode): Effect.Effect<void>
  /** The `error` event with the stack, then the response with the same message. */
  fail(cause: Cause.Cause<unknown>): Effect.Effect<void>
}

export const make = (sink: StdoutSink["Service"], requestId: string): Reply => {
  let used = false

  const once = (write: () => Effect.Effect<void>) =>
    Effect.suspend(() => {
      if (used) return Effect.void
      used = true
      return write()
    }).pipe(Effect.uninterruptible)

  return {
    get used() {
      return used
    },
    succeed: (payload) => once(() => sink.answer(successLine(requestId, payload))),
    refuse: (message, code) => once(() => sink.answer(failureLine(requestId, message, code))),
    fail: (cause) =>
      once(() => {
        const message = messageOf(cause)
        const event = eventLine({
          type: "error",
          payload: { message, code: "handler_failed", stack: Cause.pretty(cause) }
        })
        // One write, so that nothing comes between the two.
        return sink.answer(event + failureLine(requestId, message, "handler_failed"))
      })
  }
}

/** What a failed response says; a handler that was interrupted lost its runtime. */
export const messageOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return shuttingDown
  const failure = Cause.squash(cause)
  return failure instanceof Error && failure.message !== "" ? failure.message : String(failure)
}

export const shuttingDown = "shutting down"
