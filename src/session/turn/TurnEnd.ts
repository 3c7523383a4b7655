import * as Effect from "effect/Effect"
import { monotonicMs } from "../../domain/MonotonicTime.ts"
import type { Usage } from "../../llama/LlamaClient.ts"
import type { TurnContext } from "./TurnContext.ts"
import { headAfter, type Outcome } from "./TurnOutcome.ts"

/** The step that is under way. */
export interface OpenStep {
  /** 0-based in the turn. */
  readonly index: number
  /** The last that the turn is allowed. */
  readonly isLast: boolean
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number
  /** Prompt and completion, in tokens; 0 until the model has answered. */
  tokensUsed: number
}

/** How far a turn came. */
export interface TurnProgress {
  /** Steps that were started. */
  readonly stepCount: number
  /** The step that was under way, where one was. */
  readonly step: OpenStep | undefined
  /** Sums over the steps, where the server measured them. */
  readonly usage: Usage | undefined
}

/** The one exit of a turn that was started: emits its last events, then its response (contract 4). */
export const endTurn = Effect.fnUntraced(function* (context: TurnContext, progress: TurnProgress, outcome: Outcome) {
  const { feed, log, startedAt, turn, turnIndex } = context
  const { step, stepCount, usage } = progress
  // First: no model call will read what is offered from now on.
  const undelivered = turn.steering.close()
  yield* log.commit([], headAfter(outcome))
  if (outcome.reason === "failed") {
    const { category, message, stack } = outcome
    yield* feed.emit({ type: "error", payload: { message, code: `step_error:${category}`, stack } })
  } else if (step !== undefined) yield* finishStep(context, step)

  if (outcome.reason === "finish" || outcome.reason === "max_steps") {
    yield* feed.emit({ type: "session_completed", payload: { reason: outcome.reason } })
  }
  if (outcome.reason === "failed") {
    const { category, message } = outcome
    yield* feed.emit({ type: "session_failed", payload: { error: message, category } })
  }
  yield* feed.emit({
    type: "turn_finished",
    payload: {
      turnIndex,
      reason: outcome.reason,
      stepCount,
      durationMs: (yield* monotonicMs) - startedAt,
      ...(usage === undefined ? {} : { usage })
    }
  })
  for (const text of undelivered) yield* feed.emit({ type: "steer_undelivered", payload: { text } })
  yield* turn.answer({ reason: outcome.reason, turnCount: log.head.turnCount, stepCount: log.head.stepCount })
}, Effect.uninterruptible)

/** Emits the last event of a step that did not fail. */
export const finishStep = Effect.fnUntraced(function* ({ feed }: TurnContext, step: OpenStep) {
  yield* feed.emit({
    type: "step_finished",
    payload: {
      stepIndex: step.index,
      tokensUsed: step.tokensUsed,
      durationMs: (yield* monotonicMs) - step.startedAt
    }
  })
}, Effect.uninterruptible)
