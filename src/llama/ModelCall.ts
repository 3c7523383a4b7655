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
import { mergeDeltas } from "./answer/MergeDeltas.ts"
import * as ResponseBody from "./answer/ResponseBody.ts"
import * as ModelConnection from "./ModelConnection.ts"
import type { CallLimits } from "./RetryPolicy.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import type { ToolSpec } from "../domain/ToolCall.ts"

type Reason = LlamaError["reason"]
type Events = Pull.Pull<Arr.NonEmptyReadonlyArray<ModelEvent>, LlamaError>

/** A model call: its request, and callbacks that let the client learn from its outcome. */
export interface Call {
  readonly tools: ReadonlyArray<ToolSpec>
  readonly limits: CallLimits
  readonly request: HttpRequest
  /** Makes the request smaller after the server reported an overflow. */
  readonly shrink: (overflow: Overflow) => HttpRequest
  /** Makes another request after a refusal of its history, its fields or its model; undefined: there is none. */
  readonly reform: (reason: LlamaError["reason"]) => Effect.Effect<HttpRequest | undefined>
  /** Runs when a response with status 2xx has begun. */
  readonly onOpen: Effect.Effect<void>
  /** Called when the server is unreachable or still loading. */
  readonly onUnavailable: () => void
  /** Runs with the server's token counts. */
  readonly onUsage: (usage: Usage) => Effect.Effect<void>
  /** Runs with the first events of an answer, and the model as the server names it. */
  readonly onBegun: (model: string | undefined) => Effect.Effect<void>
}

/**
 * Runs a model call: connects, retries (contract 6), makes a request that overflows the context smaller once, changes
 * one that is refused for its form, and reads no faster than the stream is pulled. The end of the stream closes the connection.
 */
export const stream = (transport: HttpTransport, call: Call): Stream.Stream<ModelEvent, LlamaError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const connection = yield* ModelConnection.make(call.limits)
      let request = call.request
      let attempts = RetryPolicy.start
      let pauseMs = 0
      let announced = false
      let shrunk = false
      let hasBegun = false

      /** Makes another request in place of one that was refused, if that may help. */
      const change = Effect.fnUntraced(function* (reason: Reason) {
        if (reason._tag === "Overflow" && shrunk) return false
        const next = reason._tag === "Overflow" ? call.shrink(reason) : yield* call.reform(reason)
        if (next === undefined) return false
        shrunk ||= reason._tag === "Overflow"
        request = next
        return true
      })

      const connect: Events = Effect.gen(function* () {
        for (;;) {
          if (pauseMs > 0) yield* Effect.sleep(pauseMs)
          const refusal = yield* connection.open(transport.open(request), call.tools)
          if (refusal === null) {
            yield* call.onOpen
            return yield* read
          }
          pauseMs = 0
          if (yield* change(refusal.reason)) continue
          const retry = RetryPolicy.next(attempts, refusal, call.limits, yield* Random.next)
          if (refusal.reason._tag === "Unreachable" || refusal.reason._tag === "Loading") call.onUnavailable()
          if (retry === null) return yield* fail(refusal.reason)
          attempts = retry.state
          pauseMs = retry.pauseMs
          if (refusal.retry !== "when loaded" || announced) continue
          announced = true
          return loading
        }
      })

      const read: Events = Effect.flatMap(connection.read, (step): Events => {
        if (Arr.isReadonlyArrayNonEmpty(step.events)) {
          const events = mergeDeltas(step.events)
          const last = step.events.at(-1)
          const usage = last?._tag === "Finished" ? last.usage : undefined
          if (hasBegun && usage === undefined) return Effect.succeed(events)
          const onBegun = hasBegun ? Effect.void : call.onBegun(ResponseBody.modelOf(step.state))
          hasBegun = true
          return Effect.as(Effect.andThen(onBegun, usage === undefined ? Effect.void : call.onUsage(usage)), events)
        }
        if (step.end === undefined) return read
        if (step.end._tag === "Complete") return Cause.done()
        const { reason } = step.end
        if (step.state.begun) return fail(reason)
        return Effect.flatMap(change(reason), (changed) => (changed ? connect : fail(reason)))
      })

      return Stream.fromPull(Effect.succeed(Effect.suspend((): Events => (connection.isOpen() ? read : connect))))
    })
  )

const loading: Arr.NonEmptyReadonlyArray<ModelEvent> = [{ _tag: "Loading" }]

const fail = (reason: Reason) => Effect.fail(LlamaError.make({ reason }))
