import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import {
  LlamaClient,
  type ModelEvent,
  type ModelRequest,
  type ModelToolCall,
  type ServerState,
  type Usage
} from "../llama/LlamaClient.ts"
import type { LlamaError } from "../llama/LlamaError.ts"

/** A model call whose events the test sends. */
export interface ModelCall {
  readonly request: ModelRequest
  say(text: string): void
  think(text: string): void
  emit(event: ModelEvent): void
  /** Ends the call, with tool calls or as an answer without. */
  finish(calls?: ReadonlyArray<ModelToolCall>, usage?: Usage): void
  /** Sends the text and ends the call. */
  answer(text: string): void
  fail(error: LlamaError): void
  /** Ends the call with a defect. */
  die(defect: unknown): void
  /** Done when the agent has taken all events sent so far. */
  readonly taken: Effect.Effect<void>
  /** Done when the agent interrupts the call, as a cancel does. */
  readonly interrupted: Effect.Effect<void>
}

/** A model that sends only what the test makes it send. */
export interface GatedModel {
  readonly layer: Layer.Layer<LlamaClient>
  /** Waits for the next call of the agent. */
  readonly next: Effect.Effect<ModelCall>
  /** The number of calls so far. */
  readonly count: number
}

/** A tool call with parsed arguments. */
export const toolCall = (name: string, value: { readonly [key: string]: unknown } = {}): ModelToolCall => ({
  name,
  args: { _tag: "Parsed", value }
})

export const make = (state: ServerState = { state: "ready", url: "gated:" }): GatedModel => {
  const calls = Effect.runSync(Queue.unbounded<ModelCall>())
  let count = 0

  const stream = (request: ModelRequest): Stream.Stream<ModelEvent, LlamaError> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const events = yield* Queue.make<ModelEvent, LlamaError | Cause.Done>()
        const interrupted = Deferred.makeUnsafe<void>()
        const emit = (event: ModelEvent) => void Queue.offerUnsafe(events, event)
        const finish = (made: ReadonlyArray<ModelToolCall> = [], usage?: Usage) => {
          const reason = made.length === 0 ? "stop" : "tool_calls"
          emit({ _tag: "Finished", reason, calls: made, ...(usage === undefined ? {} : { usage }) })
          Queue.endUnsafe(events)
        }
        const say = (text: string) => emit({ _tag: "Text", text })
        count++
        Queue.offerUnsafe(calls, {
          request,
          say,
          think: (text) => emit({ _tag: "Reasoning", text }),
          emit,
          finish,
          answer: (text) => {
            say(text)
            finish()
          },
          fail: (error) => void Queue.failCauseUnsafe(events, Cause.fail(error)),
          die: (defect) => void Queue.failCauseUnsafe(events, Cause.die(defect)),
          taken: Effect.yieldNow.pipe(
            Effect.repeat({ until: () => Queue.sizeUnsafe(events) === 0 }),
            Effect.andThen(Effect.yieldNow)
          ),
          interrupted: Deferred.await(interrupted)
        })
        return Stream.fromQueue(events).pipe(
          Stream.onExit((exit) =>
            exit._tag === "Failure" && Cause.hasInterrupts(exit.cause)
              ? Effect.asVoid(Deferred.succeed(interrupted, undefined))
              : Effect.void
          )
        )
      })
    )

  return {
    layer: Layer.succeed(
      LlamaClient,
      LlamaClient.of({
        url: state.url,
        slotId: -1,
        stream,
        probe: Effect.succeed(state),
        window: () => Effect.succeed(state.contextTokens ?? null)
      })
    ),
    next: Queue.take(calls),
    get count() {
      return count
    }
  }
}
