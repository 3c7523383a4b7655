import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalRequest } from "../domain/ApprovalPolicy.ts"
import { type CallId, freshApprovalId } from "../protocol/Ids.ts"
import type { ApprovalCategory } from "../protocol/SessionState.ts"
import { shownPreview, shownReason, shownResources } from "./QuestionText.ts"
import type { SessionFeed } from "./SessionFeed.ts"

/** The answer of a host. */
interface Answer {
  readonly approved: boolean
  readonly reason: string | undefined
}

/** The answer of a host with the category that was asked; `at` in epoch milliseconds. */
export interface Decision extends Answer {
  readonly category: ApprovalCategory
  readonly at: number
}

/** Asks the host for approval and lets the turn wait for the answer (contract 7). */
export class ApprovalGate extends Context.Service<
  ApprovalGate,
  {
    /** Asks the host and waits without a time limit; interrupting it withdraws the question. */
    require(feed: SessionFeed, callId: CallId, tool: string, need: ApprovalRequest): Effect.Effect<Decision>
    /** Answers an open question; false if there is none of this id. */
    resolve(approvalId: string, approved: boolean, reason: string | undefined): Effect.Effect<boolean>
  }
>()("atomic-agent-sidecar/session/ApprovalGate") {
  static readonly layer = Layer.effect(
    ApprovalGate,
    Effect.sync(() => {
      const open = new Map<string, Deferred.Deferred<Answer>>()

      const require = Effect.fn("ApprovalGate.require")(
        (feed: SessionFeed, callId: CallId, tool: string, need: ApprovalRequest) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const approvalId = freshApprovalId()
              const answer = Deferred.makeUnsafe<Answer>()
              const resolved = (outcome: "approved" | "denied" | "withdrawn") =>
                feed.emit({ type: "approval_resolved", payload: { approvalId, outcome } })
              open.set(approvalId, answer)
              yield* feed.emit({
                type: "approval_request",
                payload: {
                  approvalId,
                  callId,
                  tool,
                  category: need.category,
                  // Hosts print it unescaped: nothing in it may act on a terminal or hide a part of it.
                  reason: shownReason(need.reason),
                  ...(need.preview === undefined ? {} : { preview: shownPreview(need.preview) }),
                  ...(need.affectedResources.length === 0
                    ? {}
                    : { affectedResources: shownResources(need.affectedResources) })
                }
              })
              const { approved, reason } = yield* restore(Deferred.await(answer)).pipe(
                // Before the event is emitted: an answer that arrives while that waits for room is too late.
                Effect.ensuring(Effect.sync(() => open.delete(approvalId))),
                Effect.onInterrupt(() => resolved("withdrawn"))
              )
              yield* resolved(approved ? "approved" : "denied")
              return { approved, reason, category: need.category, at: yield* Clock.currentTimeMillis }
            })
          )
      )

      const resolve = Effect.fn("ApprovalGate.resolve")(
        (approvalId: string, approved: boolean, reason: string | undefined) =>
          Effect.sync(() => {
            const answer = open.get(approvalId)
            if (answer === undefined) return false
            open.delete(approvalId)
            return Deferred.doneUnsafe(answer, Effect.succeed({ approved, reason }))
          })
      )

      return ApprovalGate.of({ require, resolve })
    })
  )
}
