import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { traceOf, wordsOf } from "../../domain/Failure.ts"
import { statusAfter } from "../../domain/Session.ts"
import type { StepCategory, TurnReason } from "../../protocol/SessionState.ts"
import type { HeadChange } from "../SessionLog.ts"
import type { Turn } from "./Turn.ts"

/** A step that could not be recovered: it ends its turn (contract 6). */
export class StepFailure extends Schema.TaggedError<StepFailure>()("StepFailure", {
  category: Schema.Literals(["transport", "grammar", "model", "tool"] satisfies ReadonlyArray<StepCategory>),
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** Why a turn ended by itself, with a closing reply. */
export type ClosedReason = Exclude<TurnReason, "failed" | "cancelled">

/** How a turn ended; a failure with its category, its message and its stack. */
export type Outcome =
  | { readonly reason: Exclude<TurnReason, "failed"> }
  | {
      readonly reason: "failed"
      readonly category: StepCategory
      readonly message: string
      readonly stack: string
    }

/** The outcome of a turn whose running failed, died or was interrupted (contract 6). */
export const outcomeOfCause = (cause: Cause.Cause<unknown>, { isCancelled }: Pick<Turn, "isCancelled">): Outcome => {
  const isInterrupted = Cause.hasInterrupts(cause) && !Cause.hasDies(cause)
  // A defect outweighs an interruption that came after it; an interruption without a cancel is a defect too.
  if (isInterrupted && isCancelled) return { reason: "cancelled" }
  const failure = Cause.squash(cause)
  return {
    reason: "failed",
    category: failure instanceof StepFailure ? failure.category : "tool",
    message: isInterrupted ? "a part of the turn was interrupted, and nobody had cancelled it" : wordsOf(failure),
    stack: traceOf(cause)
  }
}

/** The outcome of a turn; `closed` is the reason that came with its closing reply, which nothing changes any more. */
export const outcomeOf = (
  exit: Exit.Exit<ClosedReason, unknown>,
  closed: ClosedReason | undefined,
  turn: Pick<Turn, "isCancelled">
): Outcome => {
  if (closed !== undefined) return { reason: closed }
  return Exit.isSuccess(exit) ? { reason: exit.value } : outcomeOfCause(exit.cause, turn)
}

/** What a turn's end makes of the session. */
export const headAfter = (outcome: Outcome): HeadChange => ({
  status: statusAfter[outcome.reason],
  lastError: outcome.reason === "failed" ? outcome.message : null
})
