import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { withLoaded } from "../../domain/Session.ts"
import type { ToolCall, ToolResult } from "../../domain/ToolCall.ts"
import type { CallId } from "../../protocol/Ids.ts"
import { shownArgs } from "./RepeatedCalls.ts"
import type { TurnContext } from "./TurnContext.ts"

/** The calls of one step that were announced and have no result yet: each gets exactly one (contract 4). */
export interface OpenCalls {
  /** Commits a call's result and sends its `tool_call_result`; a second result for the same call is dropped. */
  close(callId: CallId, result: ToolResult): Effect.Effect<void>
  /** Gives all that are still open the same result. */
  closeAll(result: ToolResult): Effect.Effect<void>
}

/** Commits and announces the calls of a step, in their order; `reasoning` is what led to them. */
export const announce = Effect.fnUntraced(function* (
  { feed, log, turn }: TurnContext,
  step: number,
  calls: ReadonlyArray<ToolCall>,
  reasoning: string
) {
  const announced = calls.map(({ args, callId, tool }, index) => ({
    args: shownArgs(args),
    place: { stepIndex: -1, step, callId, tool } as const,
    batch: calls.length > 1 ? { batchIndex: index, batchSize: calls.length } : {}
  }))
  const open = new Map(announced.map((call) => [call.place.callId, call]))

  const close = (callId: CallId, result: ToolResult) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const opened = open.get(callId)
      if (opened === undefined) return Effect.void
      const { batch, place } = opened
      open.delete(callId)
      const { approval, loadedSkill, status, summary, truncated } = result
      const { tool } = place
      const record = { kind: "tool_result", turnId: turn.id, callId, tool, status, summary, truncated } as const
      const committed = log.commit([approval === undefined ? record : { ...record, approval }], {
        latestResult: { tool, status, summary },
        ...(loadedSkill === undefined ? {} : { loadedSkills: withLoaded(log.head.loadedSkills, loadedSkill, now) })
      })
      const payload = { ...place, status, summary, ...(truncated ? { truncated } : {}), ...batch }
      return Effect.andThen(committed, feed.emit({ type: "tool_call_result", payload }))
    }).pipe(Effect.uninterruptible)

  const closeAll = (result: ToolResult) =>
    Effect.suspend(() => Effect.forEach([...open.keys()], (callId) => close(callId, result), { discard: true }))

  yield* log.commit(
    announced.map(({ args, place: { callId, tool } }, index) => ({
      kind: "assistant_tool_call",
      turnId: turn.id,
      callId,
      tool,
      args,
      ...(index === 0 && reasoning !== "" ? { reasoning } : {})
    }))
  )
  yield* feed.emitAll(
    announced.map(({ args, batch, place }) => ({ type: "tool_call_started", payload: { ...place, args, ...batch } }))
  )
  return { close, closeAll } satisfies OpenCalls
}, Effect.uninterruptible)
