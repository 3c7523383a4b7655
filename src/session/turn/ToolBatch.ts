import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../../config/Config.ts"
import { type ApprovalRequest, asks } from "../../domain/ApprovalPolicy.ts"
import { toMillis } from "../../domain/MonotonicTime.ts"
import type { ApprovalVerdict, ToolCall, ToolResult } from "../../domain/ToolCall.ts"
import { CoveringGrant } from "../../tools/CoveringGrant.ts"
import { boundResult } from "../../tools/ResultBudget.ts"
import type { Planned } from "../../tools/SessionTools.ts"
import { ApprovalGate, type Decision } from "../ApprovalGate.ts"
import { metric } from "./Metric.ts"
import * as OpenCalls from "./OpenCalls.ts"
import { RepeatedCalls } from "./RepeatedCalls.ts"
import type { Turn } from "./Turn.ts"
import type { TurnContext } from "./TurnContext.ts"
import { TurnObserver } from "./TurnObserver.ts"
import { type Outcome, outcomeOfCause } from "./TurnOutcome.ts"

/** The tool that ends a turn. */
export const finishTool = "finish"

/** What the calls of one step came to, for the turn. */
export interface BatchResult {
  /** Absolute paths that the closing reply hands over. */
  readonly attachments: ReadonlyArray<string>
  /** The summary of a `finish` among them that succeeded: it ends the turn. */
  readonly finished?: string
}

/** A result and how long the tool took for it, in milliseconds; absent where none was run. */
type Settled = ToolResult & { readonly tookMs?: number }

/** The calls of one step: announced together, then looked at, asked about and run (contract 4). */
export class ToolBatch extends Context.Service<
  ToolBatch,
  {
    /**
     * Announces the calls of a step, 0-based in the turn, and runs them all; whatever fails is a result. `reasoning` is
     * what led to the calls. When it is interrupted or dies, the calls that are open get a result that says so.
     */
    run(
      context: TurnContext,
      stepIndex: number,
      calls: ReadonlyArray<ToolCall>,
      reasoning: string
    ): Effect.Effect<BatchResult>
  }
>()("atomic-agent-sidecar/session/turn/ToolBatch") {
  static readonly layer = Layer.effect(
    ToolBatch,
    Effect.gen(function* () {
      const { agent } = yield* Config
      const gate = yield* ApprovalGate
      const observer = yield* TurnObserver
      /** The repeated and denied calls of each turn, over all its batches; collected with the turn. */
      const repeatedBy = new WeakMap<Turn, RepeatedCalls>()

      const repeatedIn = (turn: Turn): RepeatedCalls => {
        const known = repeatedBy.get(turn)
        if (known !== undefined) return known
        const repeated = new RepeatedCalls()
        repeatedBy.set(turn, repeated)
        return repeated
      }

      /** What a call must be asked about at the level that is in force, if anything. */
      const needOf = (planned: Planned, { current }: TurnContext["options"]): ApprovalRequest | undefined =>
        planned._tag === "Ready" && planned.need !== undefined && asks(planned.need.category, current.approvalLevel)
          ? planned.need
          : undefined

      const run = (
        context: TurnContext,
        stepIndex: number,
        calls: ReadonlyArray<ToolCall>,
        reasoning: string
      ): Effect.Effect<BatchResult> => {
        const { feed, grants, log, options, tools, turn } = context
        const repeated = repeatedIn(turn)

        /** True if a call must be asked about, and no grant covers it. */
        const mustWait = (planned: Planned): boolean => {
          const need = needOf(planned, options)
          return need !== undefined && grants.covering(need.subject) === undefined
        }

        const ask = Effect.fnUntraced(function* (call: ToolCall, planned: Planned) {
          const need = needOf(planned, options)
          if (need === undefined) return undefined
          if (mustWait(planned)) log.note({ status: "awaiting_approval" })
          return yield* gate
            .require(feed, call.callId, call.tool, need, grants)
            .pipe(Effect.ensuring(Effect.sync(() => log.note({ status: "running" }))))
        })

        /** Asks for approval of a planned call if it needs one, runs it and returns its result. */
        const settle = Effect.fnUntraced(function* (call: ToolCall, planned: Planned): Effect.fn.Return<Settled> {
          if (planned._tag === "Refused") return error(planned.why)
          const decision = yield* ask(call, planned)
          if (decision !== undefined && !decision.approved) {
            const denial = denialOf(decision)
            repeated.deny(call, denial)
            return { ...error(denial), approval: verdict(decision) }
          }
          const startedAt = yield* Clock.monotonicTimeNanos
          const result = yield* Effect.provideService(planned.run, CoveringGrant, decision?.grant)
          const tookMs = toMillis((yield* Clock.monotonicTimeNanos) - startedAt)
          return { ...result, tookMs, ...(decision === undefined ? {} : { approval: verdict(decision) }) }
        })

        const plan = (call: ToolCall): Effect.Effect<Planned> => {
          if (observer !== undefined) {
            const known = tools.specs.find(({ name }) => name === call.tool)
            observer.onToolCall(turn.id, call.callId, known?.name)
          }
          const refusal = repeated.refusalOf(call)
          if (refusal !== undefined) return Effect.succeed({ _tag: "Refused", why: refusal })
          return tools.plan(call, feed)
        }

        const runAll = Effect.fnUntraced(function* (open: OpenCalls.OpenCalls) {
          const attachments: Array<string> = []
          let finished: string | undefined

          const close = (call: ToolCall, settled: Settled) => {
            const result = boundResult(settled, calls.length)
            if (!tools.mayRepeat(call.tool)) repeated.remember(call, result)
            attachments.push(...(result.attachments ?? []))
            if (call.tool === finishTool && result.status === "ok") finished ??= result.summary
            return Effect.andThen(
              open.close(call.callId, result),
              feed.emitAll(metric("tool.time_ms", settled.tookMs, { tool: call.tool }))
            )
          }
          const runOne = (call: ToolCall, planned?: Planned) =>
            Effect.gen(function* () {
              yield* close(call, yield* settle(call, planned ?? (yield* plan(call))))
            })
          /** Reads go side by side; those that must ask wait until the others are done. */
          const sideBySide = Effect.fnUntraced(function* (reads: ReadonlyArray<ToolCall>) {
            const asking: Array<readonly [ToolCall, Planned]> = []
            yield* Effect.forEach(
              reads,
              (call) =>
                Effect.gen(function* () {
                  const planned = yield* plan(call)
                  if (mustWait(planned)) asking.push([call, planned])
                  else yield* runOne(call, planned)
                }),
              { concurrency: agent.maxParallelToolCalls, discard: true }
            )
            yield* Effect.forEach(asking, ([call, planned]) => runOne(call, planned), { discard: true })
          })

          for (const group of inGroups(calls, tools.reads)) {
            if (group.length > 1) yield* sideBySide(group)
            else yield* runOne(group[0]!)
          }
          return { attachments, ...(finished === undefined ? {} : { finished }) }
        })

        return Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(OpenCalls.announce(context, stepIndex, calls, reasoning), (open) =>
            restore(runAll(open)).pipe(
              Effect.onError((cause) => open.closeAll(error(whyOpen(outcomeOfCause(cause, turn), turn))))
            )
          )
        )
      }

      return ToolBatch.of({ run })
    })
  )
}

/** Why a call has no result of its own. */
const whyOpen = (outcome: Outcome, { isCancelled, outOfTime }: Turn): string => {
  if (!isCancelled && outOfTime !== undefined) return outOfTime
  return outcome.reason === "failed" ? `not done: ${outcome.message}` : "cancelled before it was done"
}

/** A result that says what went wrong. */
const error = (summary: string): ToolResult => ({ status: "error", summary, truncated: false })

const denialOf = ({ reason }: Decision): string =>
  reason === undefined || reason.trim() === "" ? "denied by the user." : `denied by the user: ${reason.trim()}`

const verdict = ({ approved, at, category, grant }: Decision): ApprovalVerdict =>
  grant === undefined
    ? { verdict: approved ? "approved" : "denied", category, at }
    : { verdict: "granted", category, at, grant }

/** Runs of reading calls, every other call by itself, `finish` after all of them. */
export const inGroups = (
  calls: ReadonlyArray<ToolCall>,
  reads: (tool: string) => boolean
): ReadonlyArray<ReadonlyArray<ToolCall>> => {
  const groups: Array<Array<ToolCall>> = []
  let reading: Array<ToolCall> | undefined
  for (const call of calls.filter(({ tool }) => tool !== finishTool)) {
    if (!reads(call.tool)) {
      reading = undefined
      groups.push([call])
    } else if (reading === undefined) groups.push((reading = [call]))
    else reading.push(call)
  }
  return [...groups, ...calls.filter(({ tool }) => tool === finishTool).map((call) => [call])]
}
