import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../config/Config.ts"
import { asks } from "../domain/ApprovalPolicy.ts"
import { withLoaded } from "../domain/Session.ts"
import type { ToolCall, ToolResult } from "../domain/ToolCall.ts"
import type { CallId } from "../protocol/Ids.ts"
import type { ApprovalNeed } from "../tools/Tool.ts"
import { boundResult } from "../tools/ResultBudget.ts"
import { type Planned, Toolbox } from "../tools/Toolbox.ts"
import { ApprovalGate, type Decision } from "./ApprovalGate.ts"
import { callKey, refusalOf, remember, shownArgs } from "./RepeatedCalls.ts"
import { metric } from "./Metric.ts"
import { TurnObserver } from "./TurnObserver.ts"
import { type OpenCall, type OpenStep, toMillis, type TurnState } from "./TurnState.ts"

/** The tool that ends a turn. */
export const finishTool = "finish"

/** A result and how long the tool took for it, in milliseconds; absent where none was run. */
type Settled = ToolResult & { readonly tookMs?: number }

/** The calls of one step: announced together, then looked at, asked about and run (contract 4). */
export class ToolBatch extends Context.Service<
  ToolBatch,
  {
    /** Runs them all; whatever fails is a result. `reasoning` is what led to the calls. */
    run(
      progress: TurnState,
      step: OpenStep,
      calls: ReadonlyArray<ToolCall>,
      reasoning: string
    ): Effect.Effect<ReadonlyMap<CallId, ToolResult>>
  }
>()("atomic-agent-sidecar/session/ToolBatch") {
  static readonly layer = Layer.effect(
    ToolBatch,
    Effect.gen(function* () {
      const { agent } = yield* Config
      const toolbox = yield* Toolbox
      const gate = yield* ApprovalGate
      const follower = yield* TurnObserver

      const announce = Effect.fnUntraced(function* (
        progress: TurnState,
        step: OpenStep,
        calls: ReadonlyArray<ToolCall>,
        reasoning: string
      ) {
        const { feed, ledger, turn } = progress
        const opened = calls.map((call, index): OpenCall => {
          const batch = calls.length > 1 ? { batchIndex: index, batchSize: calls.length } : {}
          return { callId: call.callId, tool: call.tool, batch }
        })
        for (const call of opened) step.openCalls.set(call.callId, call)
        yield* ledger.commit(
          calls.map((call, index) => ({
            kind: "assistant_tool_call",
            turnId: turn.id,
            callId: call.callId,
            tool: call.tool,
            args: shownArgs(call.args),
            ...(index === 0 && reasoning !== "" ? { reasoning } : {})
          }))
        )
        yield* feed.emitAll(
          calls.map((call, index) => ({
            type: "tool_call_started",
            payload: {
              stepIndex: -1,
              step: step.index,
              callId: call.callId,
              tool: call.tool,
              args: shownArgs(call.args),
              ...opened[index]?.batch
            }
          }))
        )
      }, Effect.uninterruptible)

      /** What a call must be asked about at this level, if anything. */
      const needOf = (planned: Planned): ApprovalNeed | undefined =>
        planned._tag === "Ready" && planned.need !== undefined && asks(planned.need.category, agent.approvalLevel)
          ? planned.need
          : undefined

      const ask = Effect.fnUntraced(function* (progress: TurnState, call: ToolCall, planned: Planned) {
        const need = needOf(planned)
        if (need === undefined) return undefined
        progress.ledger.note({ status: "awaiting_approval" })
        return yield* gate
          .require(progress.feed, call.callId, call.tool, need)
          .pipe(Effect.ensuring(Effect.sync(() => progress.ledger.note({ status: "running" }))))
      })

      /** From a call that has been looked at to its result, by way of the gate. */
      const settle = Effect.fnUntraced(function* (
        progress: TurnState,
        call: ToolCall,
        planned: Planned
      ): Effect.fn.Return<Settled> {
        if (planned._tag === "Refused") return error(planned.why)
        const decision = yield* ask(progress, call, planned)
        if (decision !== undefined && !decision.approved) {
          const why = denial(decision)
          progress.denied.set(callKey(call), why)
          return { ...error(why), approval: verdict(decision) }
        }
        const startedAt = yield* Clock.monotonicTimeNanos
        const result = yield* planned.run
        const tookMs = toMillis((yield* Clock.monotonicTimeNanos) - startedAt)
        return { ...result, tookMs, ...(decision === undefined ? {} : { approval: verdict(decision) }) }
      })

      const plan = (progress: TurnState, call: ToolCall): Effect.Effect<Planned> => {
        if (follower !== undefined) {
          const known = toolbox.specs.find(({ name }) => name === call.tool)
          follower.begins(progress.turn.id, call.callId, known?.name)
        }
        const refusal = refusalOf(progress, call)
        if (refusal !== undefined) return Effect.succeed({ _tag: "Refused", why: refusal })
        return toolbox.plan(call, { workingDir: progress.ledger.workingDir })
      }

      const run = Effect.fnUntraced(function* (
        progress: TurnState,
        step: OpenStep,
        calls: ReadonlyArray<ToolCall>,
        reasoning: string
      ) {
        yield* announce(progress, step, calls, reasoning)
        const results = new Map<CallId, ToolResult>()

        const close = (call: ToolCall, whole: Settled) => {
          const result = boundResult(whole, calls.length)
          results.set(call.callId, result)
          remember(progress, call, result)
          progress.attachments = [...progress.attachments, ...(result.attachments ?? [])]
          return Effect.andThen(
            closeCall(progress, step, call.callId, result),
            progress.feed.emitAll(metric("tool.time_ms", whole.tookMs, { tool: call.tool }))
          )
        }
        const oneByOne = (call: ToolCall, planned?: Planned) =>
          Effect.gen(function* () {
            const result = yield* settle(progress, call, planned ?? (yield* plan(progress, call)))
            yield* close(call, result)
          })
        /** Reads go side by side; those that must ask wait until the others are done. */
        const sideBySide = Effect.fnUntraced(function* (reads: ReadonlyArray<ToolCall>) {
          const asking: Array<readonly [ToolCall, Planned]> = []
          yield* Effect.forEach(
            reads,
            (call) =>
              Effect.gen(function* () {
                const planned = yield* plan(progress, call)
                if (needOf(planned) !== undefined) asking.push([call, planned])
                else yield* oneByOne(call, planned)
              }),
            { concurrency: agent.maxParallelToolCalls, discard: true }
          )
          yield* Effect.forEach(asking, ([call, planned]) => oneByOne(call, planned), { discard: true })
        })

        for (const group of inGroups(calls, toolbox.reads)) {
          if (group.length > 1) yield* sideBySide(group)
          else yield* oneByOne(group[0]!)
        }
        return results
      })

      return ToolBatch.of({ run })
    })
  )
}

/** Commits and tells a call's result; used too for what a cancel or a failure left open. */
export const closeCall = (
  { feed, ledger, turn }: TurnState,
  step: OpenStep,
  callId: CallId,
  result: ToolResult
): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const call = step.openCalls.get(callId)
    if (call === undefined) return Effect.void
    step.openCalls.delete(callId)
    const { approval, loadedSkill, status, summary, truncated } = result
    const record = {
      kind: "tool_result",
      turnId: turn.id,
      callId,
      tool: call.tool,
      status,
      summary,
      truncated
    } as const
    return ledger
      .commit([approval === undefined ? record : { ...record, approval }], {
        latestResult: { tool: call.tool, status, summary },
        ...(loadedSkill === undefined ? {} : { loadedSkills: withLoaded(ledger.head.loadedSkills, loadedSkill, now) })
      })
      .pipe(
        Effect.andThen(
          feed.emit({
            type: "tool_call_result",
            payload: {
              stepIndex: -1,
              step: step.index,
              callId,
              tool: call.tool,
              status,
              summary,
              ...(truncated ? { truncated } : {}),
              ...call.batch
            }
          })
        )
      )
  }).pipe(Effect.uninterruptible)

/** A result that says what went wrong. */
export const error = (summary: string): ToolResult => ({ status: "error", summary, truncated: false })

const denial = ({ reason }: Decision): string =>
  reason === undefined || reason.trim() === "" ? "denied by the user." : `denied by the user: ${reason.trim()}`

const verdict = ({ approved, at, category }: Decision) =>
  ({ verdict: approved ? "approved" : "denied", category, at }) as const

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
