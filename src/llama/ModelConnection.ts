import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ToolSpec } from "../domain/ToolCall.ts"
import { readText, type HttpExchange } from "../http/HttpExchange.ts"
import type { HttpError } from "../http/HttpError.ts"
import * as ResponseBody from "./answer/ResponseBody.ts"
import type { Refusal } from "./ErrorResponse.ts"
import { toRefusal } from "./ErrorResponse.ts"
import * as IdleTimeout from "./IdleTimeout.ts"
import type { LlamaError } from "./LlamaError.ts"
import { Cut, fromHttp, Stalled } from "./LlamaError.ts"
import type { CallLimits } from "./RetryPolicy.ts"

/** The connection of a model call. Silence beyond the limits ends it, and so does the end of its scope. */
export interface ModelConnection {
  /** Takes over an exchange and waits for the head of its response; null if its body can be read now. */
  readonly open: (exchange: HttpExchange, tools: ReadonlyArray<ToolSpec>) => Effect.Effect<Refusal | null>
  /** Reads the next step of the body; after the end, returns the end again. */
  readonly read: Effect.Effect<ResponseBody.ResponseBodyStep>
  /** True from the head of a response with status 2xx on. */
  readonly isOpen: () => boolean
}

export const make = (limits: CallLimits): Effect.Effect<ModelConnection, never, Scope.Scope> =>
  Effect.gen(function* () {
    let exchange: HttpExchange | undefined
    let step: ResponseBody.ResponseBodyStep | undefined
    let stalled: Stalled | undefined
    let isRefused = false
    let lifeSigns = 0

    const limitMs = () => {
      if (isRefused) return Math.min(refusalMs, limits.requestTimeoutMs)
      if (step === undefined || !step.state.begun) return limits.firstTokenTimeoutMs
      const hasReason = ResponseBody.hasFinishReason(step.state)
      return hasReason ? Math.min(usageMs, limits.requestTimeoutMs) : limits.requestTimeoutMs
    }
    const beatMs = IdleTimeout.beatFor(Math.min(limits.firstTokenTimeoutMs, limits.requestTimeoutMs))
    yield* Effect.forkScoped(
      IdleTimeout.watch(
        {
          isWaiting: () => exchange?.isWaiting() === true,
          lifeSigns: () => lifeSigns,
          limitMs,
          onSilence: (silentMs) => {
            stalled = stalledAfter(silentMs)
            exchange?.abort(stalled.detail)
          }
        },
        beatMs
      )
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => step?.end?._tag !== "Complete" && exchange?.abort(abandoned)))

    const reasonOf = (error: HttpError): LlamaError["reason"] => stalled ?? fromHttp(error)

    const take = (next: ResponseBody.ResponseBodyStep): ResponseBody.ResponseBodyStep => {
      if (next.alive) lifeSigns += 1
      if (next.end?._tag === "Complete") exchange?.release()
      if (next.end?._tag === "Failed") exchange?.abort(next.end.reason.detail)
      step = next
      return next
    }

    const open = Effect.fnUntraced(function* (next: HttpExchange, tools: ReadonlyArray<ToolSpec>) {
      exchange = next
      step = undefined
      stalled = undefined
      isRefused = false
      lifeSigns += 1
      const result = yield* Effect.result(next.head)
      if (result._tag === "Failure") {
        const reason = reasonOf(result.failure)
        return { reason, retry: reason._tag === "Unreachable" ? "soon" : "never" } satisfies Refusal
      }
      const head = result.success
      if (head.status >= 200 && head.status < 300) {
        step = { state: ResponseBody.start(head, tools), events: [], alive: true }
        return null
      }
      isRefused = true
      const body = yield* readText(
        Effect.orElseSucceed(next.read, () => null),
        maxRefusalBytes
      )
      next.release()
      return toRefusal(head, body, yield* Clock.currentTimeMillis)
    })

    const read = Effect.suspend(() => {
      const last = step
      if (exchange === undefined || last === undefined) return Effect.die(new Error("no body to read"))
      if (last.end !== undefined) return Effect.succeed({ ...last, events: [] })
      return Effect.match(exchange.read, {
        onSuccess: (bytes) =>
          take(bytes === null ? ResponseBody.finish(last.state, withoutReason) : ResponseBody.push(last.state, bytes)),
        onFailure: (error) => take(ResponseBody.finish(last.state, reasonOf(error)))
      })
    })

    return { open, read, isOpen: () => step !== undefined }
  })

/** The longest silence while the body of an error is read, in milliseconds. */
const refusalMs = 5000

/** The longest silence between the finish reason and the usage that follows it, in milliseconds. */
const usageMs = 2000

/** How much of an error's body is read, in bytes. */
const maxRefusalBytes = 64 * 1024

const abandoned = "nobody wants the answer any more"

const withoutReason = Cut.make({ detail: "the answer ended without a finish reason" })

const stalledAfter = (silentMs: number): Stalled =>
  Stalled.make({ silentMs, detail: `the model server has been silent for ${Math.round(silentMs / 1000)} s` })
