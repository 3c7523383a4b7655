import * as Effect from "effect/Effect"
import type { ToolCall } from "../../domain/ToolCall.ts"
import { repaired } from "../../llama/answer/ArgumentRepair.ts"
import { freshCallId } from "../../protocol/Ids.ts"
import type { SessionTools } from "../../tools/SessionTools.ts"
import type { ModelAnswer } from "./ModelStep.ts"

/**
 * The calls of an answer, as the model means them (contract 6): what host and history see is what is run. In an answer that
 * the length limit has cut, arguments that cannot be read stay so.
 */
export const understood = (
  { calls, reason }: ModelAnswer,
  tools: SessionTools["Service"]
): Effect.Effect<ReadonlyArray<ToolCall>> =>
  Effect.forEach(calls, ({ args, name }) => {
    const call = tools.understand({ callId: freshCallId(), tool: name, args })
    if (reason === "length" || name === "") return Effect.succeed(call)
    return Effect.map(repaired(args, tools.reads(call.tool)), (read) => tools.understand({ ...call, args: read }))
  })
