import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { traceOf, wordsOf } from "../domain/Failure.ts"
import { statusAfter } from "../domain/Session.ts"
import type { StepCategory, TurnReason } from "../protocol/SessionState.ts"
import type { HeadChange, Undated } from "./SessionLog.ts"
import { closeCall, error } from "./ToolBatch.ts"
import type { Turn } from "./Turn.ts"
import { type OpenStep, StepFailure, toMillis, type TurnState } from "./TurnState.ts"

/** How a turn ended; a failure with its category, its words and where it came from. */
export type Outcome =
  | { readonly reason: Exclude<TurnReason, "failed"> }
  | {
      readonly reason: "failed"
      readonly category: StepCategory
      readonly message: string
      readonly stack: string
    }

/** Success, failure, defect or interruption, as the reason that the host is told (contract 6). */
export const outcomeOf = (
  exit: Exit.Exit<NonNullable<TurnState["closed"]>, StepFailure>,
  { closed, turn }: Pick<TurnState, "closed" | "turn">
): Outcome => {
  if (closed !== undefined) return { reason: closed }
  if (Exit.isSuccess(exit)) return { reason: exit.value }
  const { cause } = exit
  const isInterrupted = Cause.hasInterrupts(cause) && !Cause.hasDies(cause)
  // A defect is told even where an interruption came on top of it, and an interruption that nobody asked for is one.
  if (isInterrupted && turn.isCancelled) return { reason: "cancelled" }
  const failure = Cause.squash(cause)
  return {
    reason: "failed",
    category: failure instanceof StepFailure ? failure.category : "tool",
    message: isInterrupted ? "a part of the turn was interrupted, and nobody had cancelled it" : wordsOf(failure),
    stack: traceOf(cause)
  }
}

/** The one way out of a turn that was started: everything open is closed, then the end is told, the response last. */
export const endTurn = Effect.fnUntraced(function* (progress: TurnState, outcome: Outcome) {
  const { feed, ledger, steering, turn } = progress
  const { step } = progress
  // At once: from here on nobody will read what comes.
  const undelivered = steering.close()
  if (step !== undefined) yield* closeCalls(progress, step, outcome)
  yield* ledger.commit(step === undefined ? [] : interruptedText(turn, step), headAfter(outcome))
  if (outcome.reason === "failed") {
    const { category, message, stack } = outcome
    yield* feed.emit({ type: "error", payload: { message, code: `step_error:${category}`, stack } })
  } else if (step !== undefined) yield* finishStep(progress, step)

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
      turnIndex: progress.turnIndex,
      reason: outcome.reason,
      stepCount: progress.stepCount,
      durationMs: toMillis(yield* Clock.monotonicTimeNanos) - progress.startedAt,
      ...(progress.usage === undefined ? {} : { usage: progress.usage })
    }
  })
  for (const text of undelivered) yield* feed.emit({ type: "steer_undelivered", payload: { text } })
  const { stepCount, turnCount } = ledger.head
  yield* turn.answer({ reason: outcome.reason, turnCount, stepCount })
}, Effect.uninterruptible)

/** What a turn's end makes of the session. */
export const headAfter = (outcome: Outcome): HeadChange => ({
  status: statusAfter[outcome.reason],
  lastError: outcome.reason === "failed" ? outcome.message : null
})

/** The calls of a cancelled or failed step get their results. */
const closeCalls = Effect.fnUntraced(function* (progress: TurnState, step: OpenStep, outcome: Outcome) {
  const why = outcome.reason === "failed" ? `not done: ${outcome.message}` : "cancelled before it was done"
  for (const callId of step.openCalls.keys()) yield* closeCall(progress, step, callId, error(why))
})

/** What a cancelled or failed step has streamed is kept. */
const interruptedText = (turn: Turn, { reasoning, text }: OpenStep): ReadonlyArray<Undated> => {
  if (text === "") return []
  const thoughts = reasoning === "" ? {} : { reasoning }
  return [{ kind: "assistant_reply", turnId: turn.id, text, interrupted: true, ...thoughts }]
}

/** The last event of a step that did not fail. */
export const finishStep = Effect.fnUntraced(function* (progress: TurnState, step: OpenStep) {
  progress.step = undefined
  yield* progress.feed.emit({
    type: "step_finished",
    payload: {
      stepIndex: step.index,
      tokensUsed: step.tokensUsed,
      durationMs: toMillis(yield* Clock.monotonicTimeNanos) - step.startedAt
    }
  })
}, Effect.uninterruptible)
