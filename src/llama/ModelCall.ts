import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import type { HttpRequest } from "../http/HttpExchange.ts"
import type { HttpTransport } from "../http/HttpTransport.ts"
import type { ModelEvent, Usage } from "./LlamaClient.ts"
import type { Overflow } from "./LlamaError.ts"
import { LlamaError } from "./LlamaError.ts"
import * as ModelConnection from "./ModelConnection.ts"
import type { CallLimits } from "./RetryPolicy.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import type { ToolSpec } from "../domain/ToolCall.ts"

type Reason = LlamaError["reason"]
type Events = Pull.Pull<Arr.NonEmptyReadonlyArray<ModelEvent>, LlamaError>

export interface Call {
  readonly tools: ReadonlyArray<ToolSpec>
  readonly limits: CallLimits
  readonly request: HttpRequest
  /** The request made smaller after an overflow that the server told of; null: it cannot be. */
  readonly shrink: (overflow: Overflow) => HttpRequest | null
  /** Runs once an answer has begun. */
  readonly opened: Effect.Effect<void>
  /** The server was not there, or not ready. */
  readonly refused: () => void
  /** The server has counted the prompt. */
  readonly counted: (usage: Usage) => void
}

/**
 * One model call. It connects, tries again where the contract says so (contract 6), makes an overflowing request
 * smaller once, and reads no faster than it is pulled. The end of the stream closes the connection.
 */
export const stream = (transport: HttpTransport, call: Call): Stream.Stream<ModelEvent, LlamaError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const connection = yield* ModelConnection.make(call.limits)
      let request = call.request
      let tried = RetryPolicy.nothing
      let pauseMs = 0
      let announced = false
      let shrunk = false

      const shrink = (reason: Reason): boolean => {
        if (reason._tag !== "Overflow" || shrunk) return false
        shrunk = true
        const smaller = call.shrink(reason)
        if (smaller !== null) request = smaller
        return smaller !== null
      }

      const connect: Events = Effect.gen(function* () {
        for (;;) {
          if (pauseMs > 0) yield* Effect.sleep(pauseMs)
          const refused = yield* connection.open(transport.open(request), call.tools)
          if (refused === null) {
            yield* call.opened
            return yield* read
          }
          pauseMs = 0
          if (shrink(refused.reason)) continue
          const again = RetryPolicy.next(tried, refused, call.limits, yield* Random.next)
          if (refused.reason._tag === "Unreachable" || refused.reason._tag === "Loading") call.refused()
          if (again === null) return yield* fail(refused.reason)
          tried = again.tried
          pauseMs = again.pauseMs
          if (refused.again !== "when loaded" || announced) continue
          announced = true
          return loading
        }
      })

      const read: Events = Effect.flatMap(connection.read, (step): Events => {
        const last = step.events.at(-1)
        if (last?._tag === "Finished" && last.usage !== undefined) call.counted(last.usage)
        if (Arr.isReadonlyArrayNonEmpty(step.events)) return Effect.succeed(step.events)
        if (step.end === undefined) return read
        if (step.end._tag === "Complete") return Cause.done()
        if (step.state.begun || !shrink(step.end.reason)) return fail(step.end.reason)
        return connect
      })

      return Stream.fromPull(Effect.succeed(Effect.suspend((): Events => (connection.isOpen() ? read : connect))))
    })
  )

const loading: Arr.NonEmptyReadonlyArray<ModelEvent> = [{ _tag: "Loading" }]

const fail = (reason: Reason) => Effect.fail(LlamaError.make({ reason }))
