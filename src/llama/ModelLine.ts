import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as AnswerReader from "./AnswerReader.ts"
import type { Refusal } from "./HttpAnswers.ts"
import { refusal } from "./HttpAnswers.ts"
import type { HttpExchange } from "./HttpExchange.ts"
import type { HttpAnswer } from "./HttpHead.ts"
import { Cut, Stalled } from "./LlamaError.ts"
import type { CallLimits } from "./RetryPolicy.ts"
import * as SilenceWatch from "./SilenceWatch.ts"
import type { ToolSpec } from "../domain/ToolCall.ts"

/** The one connection of a model call, watched for silence and closed with its scope. */
export interface ModelLine {
  /** Takes an exchange that has just been sent; null once its answer can be read. */
  readonly open: (exchange: HttpExchange, tools: ReadonlyArray<ToolSpec>) => Effect.Effect<Refusal | null>
  /** What comes next of the answer; after its end, the end again. */
  readonly read: Effect.Effect<AnswerReader.AnswerStep>
  /** Whether there is an answer to read, or an end to learn. */
  readonly isOpen: () => boolean
}

export const hold = (limits: CallLimits): Effect.Effect<ModelLine, never, Scope.Scope> =>
  Effect.gen(function* () {
    let exchange: HttpExchange | undefined
    let step: AnswerReader.AnswerStep | undefined
    let refused = false
    let heard = 0

    const limitMs = () => {
      if (refused) return Math.min(refusalMs, limits.requestTimeoutMs)
      if (step === undefined || !step.state.begun) return limits.firstTokenTimeoutMs
      return AnswerReader.isSaid(step.state) ? Math.min(numbersMs, limits.requestTimeoutMs) : limits.requestTimeoutMs
    }
    const beatMs = SilenceWatch.beatFor(Math.min(limits.firstTokenTimeoutMs, limits.requestTimeoutMs))
    yield* Effect.forkScoped(
      SilenceWatch.watch(
        {
          isWaiting: () => exchange?.isWaiting() === true,
          heard: () => heard,
          limitMs,
          onSilence: (silentMs) => exchange?.abort(silence(silentMs))
        },
        beatMs
      )
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => step?.end?._tag !== "Complete" && exchange?.abort(unwanted)))

    const take = (next: AnswerReader.AnswerStep): AnswerReader.AnswerStep => {
      if (next.alive) heard += 1
      if (next.end?._tag === "Complete") exchange?.leave()
      if (next.end?._tag === "Failed") exchange?.abort(next.end.reason)
      step = next
      return next
    }

    const refuse = (answer: HttpAnswer, body: string) =>
      Effect.clockWith((clock) => Effect.succeed(refusal(answer, body, clock.currentTimeMillisUnsafe())))

    const open = Effect.fnUntraced(function* (next: HttpExchange, tools: ReadonlyArray<ToolSpec>) {
      exchange = next
      step = undefined
      refused = false
      heard += 1
      const answered = yield* Effect.result(next.answer)
      if (answered._tag === "Failure") {
        const again = answered.failure._tag === "Unreachable" ? "soon" : "never"
        return { reason: answered.failure, again } satisfies Refusal
      }
      const answer = answered.success
      if (answer.status >= 200 && answer.status < 300) {
        step = { state: AnswerReader.start(answer, tools), events: [], alive: true }
        return null
      }
      refused = true
      const body = yield* readSome(next)
      next.leave()
      return yield* refuse(answer, body)
    })

    const read = Effect.suspend(() => {
      const last = step
      if (exchange === undefined || last === undefined) return Effect.die(new Error("no answer to read"))
      if (last.end !== undefined) return Effect.succeed({ ...last, events: [] })
      return Effect.match(exchange.read, {
        onSuccess: (bytes) =>
          take(bytes === null ? AnswerReader.finish(last.state, withoutReason) : AnswerReader.push(last.state, bytes)),
        onFailure: (reason) => take(AnswerReader.finish(last.state, reason))
      })
    })

    return { open, read, isOpen: () => step !== undefined }
  })

/** How long the body of an error may take; milliseconds. */
const refusalMs = 5000

/** How long the numbers may take that follow the reason of an answer; milliseconds. */
const numbersMs = 2000

/** What is read of an error's body. */
const maxRefusalBytes = 64 * 1024

const unwanted = Cut.make({ detail: "nobody wants the answer any more" })

const withoutReason = Cut.make({ detail: "the answer ended without a finish reason" })

const silence = (silentMs: number): Stalled =>
  Stalled.make({ silentMs, detail: `the model server has been silent for ${Math.round(silentMs / 1000)} s` })

/** The beginning of a body, as much as comes. */
const readSome = Effect.fnUntraced(function* (exchange: HttpExchange) {
  const parts: Array<Uint8Array> = []
  let size = 0
  while (size < maxRefusalBytes) {
    const bytes = yield* Effect.orElseSucceed(exchange.read, () => null)
    if (bytes === null) break
    parts.push(bytes)
    size += bytes.length
  }
  return Buffer.concat(parts).toString("utf8")
})
