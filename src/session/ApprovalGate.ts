import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ApprovalRequest } from "../domain/ApprovalPolicy.ts"
import type { Grant, Offer } from "../protocol/Grant.ts"
import { type CallId, freshApprovalId } from "../protocol/Ids.ts"
import type { ApprovalCategory } from "../protocol/SessionState.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"
import { sameGrant } from "./grants/Covers.ts"
import type { SessionGrants } from "./grants/SessionGrants.ts"
import { shownPreview, shownReason, shownResources } from "./QuestionText.ts"
import type { SessionFeed } from "./SessionFeed.ts"

/** The answer of a host, or the grant in its place. */
interface Answer {
  readonly approved: boolean
  readonly reason: string | undefined
  /** Present if the host was not asked for this call, or not waited for, since this grant covers it. */
  readonly grant?: Grant
}

/** An answer with the category that was asked; `at` in epoch milliseconds. */
export interface Decision extends Answer {
  readonly category: ApprovalCategory
  readonly at: number
}

/** A question that waits for its answer. */
interface Question {
  readonly answer: Deferred.Deferred<Answer>
  readonly grants: SessionGrants["Service"]
  readonly subject: ApprovalRequest["subject"]
  readonly offers: ReadonlyArray<Offer>
}

/** An answer with a grant that its question did not offer, or that denies; the question stays open. */
export class GrantNotOffered extends Schema.TaggedError<GrantNotOffered>()("GrantNotOffered", {
  expected: Schema.String
}) {
  override get message() {
    return `payload.grant: expected ${this.expected}`
  }
}

/** Asks the host for approval and lets the turn wait for the answer (contract 7), unless a grant covers the call. */
export class ApprovalGate extends Context.Service<
  ApprovalGate,
  {
    /**
     * Asks the host and waits without a time limit; interrupting it withdraws the question. Nothing is asked where one of the
     * session's grants covers the call.
     */
    require(
      feed: SessionFeed,
      callId: CallId,
      tool: string,
      need: ApprovalRequest,
      grants: SessionGrants["Service"]
    ): Effect.Effect<Decision>
    /**
     * Answers an open question; false if there is none of this id. A grant with it holds at once, for what waits in the
     * session too.
     */
    resolve(
      approvalId: string,
      approved: boolean,
      reason: string | undefined,
      grant?: unknown
    ): Effect.Effect<boolean, GrantNotOffered>
  }
>()("atomic-agent-sidecar/session/ApprovalGate") {
  static readonly layer = Layer.effect(
    ApprovalGate,
    Effect.gen(function* () {
      const sink = yield* StdoutSink
      const open = new Map<string, Question>()

      const ask = (
        feed: SessionFeed,
        callId: CallId,
        tool: string,
        need: ApprovalRequest,
        grants: Question["grants"]
      ) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const approvalId = freshApprovalId()
            const answer = Deferred.makeUnsafe<Answer>()
            const resolved = (outcome: "approved" | "denied" | "granted" | "withdrawn") =>
              feed.emit({ type: "approval_resolved", payload: { approvalId, outcome } })
            // Who does not see the offers cannot have chosen one.
            const offers = sink.isGranted("grants") ? grants.offersOf(need.subject) : []
            open.set(approvalId, { answer, grants, subject: need.subject, offers })
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
                  : { affectedResources: shownResources(need.affectedResources) }),
                ...(offers.length === 0 ? {} : { offers })
              }
            })
            const given = yield* restore(Deferred.await(answer)).pipe(
              // Before the event is emitted: an answer that arrives while that waits for room is too late.
              Effect.ensuring(Effect.sync(() => open.delete(approvalId))),
              Effect.onInterrupt(() => resolved("withdrawn"))
            )
            yield* resolved(given.grant !== undefined ? "granted" : given.approved ? "approved" : "denied")
            return given
          })
        )

      const require = Effect.fn("ApprovalGate.require")(function* (
        feed: SessionFeed,
        callId: CallId,
        tool: string,
        need: ApprovalRequest,
        grants: Question["grants"]
      ) {
        const given = yield* Effect.suspend((): Effect.Effect<Answer> => {
          const grant = grants.covering(need.subject)
          return grant === undefined ? ask(feed, callId, tool, need, grants) : Effect.succeed(grantedBy(grant))
        })
        return { ...given, category: need.category, at: yield* Clock.currentTimeMillis }
      })

      const close = (approvalId: string, { answer }: Question, given: Answer) => {
        open.delete(approvalId)
        Deferred.doneUnsafe(answer, Effect.succeed(given))
      }

      /** Closes the other questions of a session that its grants cover now. */
      const closeCovered = (grants: Question["grants"]) => {
        for (const [id, waiting] of open) {
          const grant = waiting.grants === grants ? grants.covering(waiting.subject) : undefined
          if (grant !== undefined) close(id, waiting, grantedBy(grant))
        }
      }

      const resolve = Effect.fn("ApprovalGate.resolve")(
        (approvalId: string, approved: boolean, reason: string | undefined, given?: unknown) =>
          Effect.suspend((): Effect.Effect<boolean, GrantNotOffered> => {
            const question = open.get(approvalId)
            if (question === undefined) return Effect.succeed(false)
            const grant = given ?? undefined
            const offer = question.offers.find((each) => sameGrant(grant, each.grant))
            if (grant !== undefined && !approved) return refused("nothing with approved: false")
            if (grant !== undefined && offer === undefined) return refused("one of the grants that the question offers")
            // First: the answer lets the turn go on at once, perhaps to its next question.
            if (offer !== undefined) question.grants.add(offer.grant)
            close(approvalId, question, { approved, reason })
            if (offer !== undefined) closeCovered(question.grants)
            return Effect.succeed(true)
          })
      )

      return ApprovalGate.of({ require, resolve })
    })
  )
}

const grantedBy = (grant: Grant): Answer => ({ approved: true, reason: undefined, grant })

const refused = (expected: string) => Effect.fail(new GrantNotOffered({ expected }))
