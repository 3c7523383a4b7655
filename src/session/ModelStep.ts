import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Config } from "../config/Config.ts"
import { LlamaClient, type ModelEvent, type ModelToolCall, type Usage } from "../llama/LlamaClient.ts"
import type { LlamaError } from "../llama/LlamaError.ts"
import type { StepCategory } from "../protocol/SessionState.ts"
import { Toolbox } from "../tools/Toolbox.ts"
import { ModelStreamEvents } from "./ModelStreamEvents.ts"
import { ModelStatus, stateShownBy } from "./ModelStatus.ts"
import { TurnObserver } from "./TurnObserver.ts"
import { type OpenStep, StepFailure, toMillis, type TurnState } from "./TurnState.ts"

/** What the model answered, after its words have been streamed. */
export interface ModelAnswer {
  readonly text: string
  readonly reasoning: string
  readonly calls: ReadonlyArray<ModelToolCall>
}

/** One model call: its deltas go to the feed, its numbers to the turn. */
export class ModelStep extends Context.Service<
  ModelStep,
  {
    run(progress: TurnState, step: OpenStep): Effect.Effect<ModelAnswer, StepFailure>
  }
>()("atomic-agent-sidecar/session/ModelStep") {
  static readonly layer = Layer.effect(
    ModelStep,
    Effect.gen(function* () {
      const llama = yield* LlamaClient
      const toolbox = yield* Toolbox
      const watch = yield* ModelStatus
      const follower = yield* TurnObserver
      const { model } = (yield* Config).localModels

      const run = Effect.fnUntraced(function* (progress: TurnState, step: OpenStep) {
        const { feed, ledger, turn } = progress
        follower?.asks(turn.id, model ?? watch.model)
        const clock = yield* Clock.Clock
        const hearing = new ModelStreamEvents(step, llama.slotId, () => toMillis(clock.monotonicTimeNanosUnsafe()))
        const request = {
          system: progress.system,
          history: ledger.history,
          tools: toolbox.specs,
          turnIndex: progress.turnIndex,
          stepIndex: step.index
        }
        let answers = false
        const hear = (events: ReadonlyArray<ModelEvent>): Effect.Effect<void> => {
          const told = feed.emitAll(hearing.hear(events))
          const loads = events.some(({ _tag }) => _tag === "Loading")
          if (answers && !loads) return told
          answers = events.at(-1)?._tag !== "Loading"
          return Effect.andThen(
            loads ? watch.saw("loading") : Effect.void,
            answers ? watch.saw("ready") : Effect.void
          ).pipe(Effect.andThen(told))
        }
        yield* llama.stream(request).pipe(
          Stream.runForEachArray(hear),
          Effect.tapError((error) => {
            const state = stateShownBy(error)
            return state === undefined ? Effect.void : watch.saw(state, error.message)
          }),
          Effect.mapError((error) => new StepFailure({ category: categoryOf(error), detail: error.message }))
        )
        const { finished } = hearing
        if (finished === undefined) {
          return yield* new StepFailure({ category: "transport", detail: "the model's stream ended without a finish" })
        }

        const { calls, reason, usage } = finished
        measure(progress, step, usage)
        follower?.answered(turn.id, finished)
        yield* feed.emitAll(hearing.end(finished))
        const windowTokens = yield* llama.window
        if (usage !== undefined && windowTokens !== null) {
          ledger.note({ contextUsage: { usedTokens: usage.promptTokens + usage.completionTokens, windowTokens } })
        }
        if (calls.length === 0 && step.text.trim() === "") {
          return yield* new StepFailure({
            category: "model",
            detail:
              reason === "length"
                ? "the model was cut off by the length limit before it said anything usable"
                : "the model gave an empty answer"
          })
        }
        return { text: step.text, reasoning: step.reasoning, calls }
      })

      return ModelStep.of({ run })
    })
  )
}

const measure = (progress: TurnState, step: OpenStep, usage: Usage | undefined): void => {
  if (usage === undefined) return
  step.tokensUsed = usage.promptTokens + usage.completionTokens
  const before = progress.usage ?? { promptTokens: 0, cachedTokens: 0, completionTokens: 0 }
  progress.usage = {
    promptTokens: before.promptTokens + usage.promptTokens,
    cachedTokens: before.cachedTokens + usage.cachedTokens,
    completionTokens: before.completionTokens + usage.completionTokens
  }
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
