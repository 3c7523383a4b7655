import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { toMillis } from "../../domain/MonotonicTime.ts"
import { LlamaClient, type ModelEvent, type ModelFinished } from "../../llama/LlamaClient.ts"
import type { LlamaError } from "../../llama/LlamaError.ts"
import type { StepCategory } from "../../protocol/SessionState.ts"
import { ModelStreamEvents } from "./ModelStreamEvents.ts"
import { ModelStatus, stateShownBy } from "../ModelStatus.ts"
import type { TurnContext } from "./TurnContext.ts"
import { TurnObserver } from "./TurnObserver.ts"
import { StepFailure } from "./TurnOutcome.ts"

/** What the model answered, after its text has been streamed to the host. */
export interface ModelAnswer extends Omit<ModelFinished, "_tag" | "tokensPerSecond"> {
  readonly text: string
  readonly reasoning: string
}

/** One model call: its deltas go to the feed, its answer to the caller. */
export class ModelStep extends Context.Service<
  ModelStep,
  {
    /**
     * Asks the model for the next step of a turn, `stepIndex` 0-based in the turn. Text that has streamed when the call
     * fails or is interrupted is committed as an interrupted reply.
     */
    run(context: TurnContext, stepIndex: number): Effect.Effect<ModelAnswer, StepFailure>
  }
>()("atomic-agent-sidecar/session/turn/ModelStep") {
  static readonly layer = Layer.effect(
    ModelStep,
    Effect.gen(function* () {
      const llama = yield* LlamaClient
      const status = yield* ModelStatus
      const observer = yield* TurnObserver
      const clock = yield* Clock.Clock

      const call = Effect.fnUntraced(function* (context: TurnContext, stepIndex: number, events: ModelStreamEvents) {
        const { feed, log, system, tools, turn, turnIndex } = context
        const options = context.options.current
        observer?.onModelCall(turn.id, options.model ?? status.model)
        const request = { system, history: log.history, tools: tools.specs, options, turnIndex, stepIndex }
        let isAnswering = false
        const emit = (some: ReadonlyArray<ModelEvent>): Effect.Effect<void> => {
          const emitted = feed.emitAll(events.push(some))
          const loads = some.some(({ _tag }) => _tag === "Loading")
          if (isAnswering && !loads) return emitted
          isAnswering = some.at(-1)?._tag !== "Loading"
          return Effect.andThen(
            loads ? status.observe("loading") : Effect.void,
            isAnswering ? status.observe("ready") : Effect.void
          ).pipe(Effect.andThen(emitted))
        }
        yield* llama.stream(request).pipe(
          Stream.runForEachArray(emit),
          Effect.tapError((error) => {
            const state = stateShownBy(error)
            return state === undefined ? Effect.void : status.observe(state, error.message)
          }),
          Effect.mapError((error) => new StepFailure({ category: categoryOf(error), detail: error.message }))
        )
        const { finished, reasoning, text } = events
        if (finished === undefined) {
          return yield* new StepFailure({ category: "transport", detail: "the model's stream ended without a finish" })
        }
        const { calls, reason, usage } = finished
        observer?.onModelAnswer(turn.id, finished)
        yield* feed.emitAll(events.end(finished))
        const windowTokens = yield* llama.window(context.options.current.model)
        if (usage !== undefined && windowTokens !== null) {
          log.note({ contextUsage: { usedTokens: usage.promptTokens + usage.completionTokens, windowTokens } })
        }
        return { text, reasoning, calls, reason, ...(usage === undefined ? {} : { usage }) }
      })

      const keepInterrupted = ({ log, turn }: TurnContext, { reasoning, text }: ModelStreamEvents) =>
        text === ""
          ? Effect.void
          : log.commit([
              {
                kind: "assistant_reply",
                turnId: turn.id,
                text,
                interrupted: true,
                ...(reasoning === "" ? {} : { reasoning })
              }
            ])

      const run = (context: TurnContext, stepIndex: number) =>
        Effect.suspend(() => {
          const now = () => toMillis(clock.monotonicTimeNanosUnsafe())
          const events = new ModelStreamEvents(stepIndex, llama.slotId, now)
          return Effect.onError(call(context, stepIndex, events), () => keepInterrupted(context, events))
        })

      return ModelStep.of({ run })
    })
  )
}

/** What kind of failure an error of the model is (contract 6). */
export const categoryOf = ({ reason }: LlamaError): StepCategory => {
  switch (reason._tag) {
    case "Overflow":
      return "model"
    case "Rejected":
      return reason.status === 400 || reason.status === 422 ? "grammar" : "transport"
    case "Unreachable":
    case "Loading":
    case "Malformed":
    case "Cut":
    case "Stalled":
      return "transport"
  }
}
