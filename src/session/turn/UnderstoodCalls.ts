import * as Effect from "effect/Effect"
import type { ToolCall } from "../../domain/ToolCall.ts"
import { repaired } from "../../llama/answer/ArgumentRepair.ts"
import { freshCallId } from "../../protocol/Ids.ts"
import type { Toolbox } from "../../tools/Toolbox.ts"
import type { ModelAnswer } from "./ModelStep.ts"

/**
 * The calls of an answer, as the model means them (contract 6): what host and history see is what is run. In an answer that
 * the length limit has cut, arguments that cannot be read stay so.
 */
export const understood = (
  { calls, reason }: ModelAnswer,
  toolbox: Toolbox["Service"]
): Effect.Effect<ReadonlyArray<ToolCall>> =>
  Effect.forEach(calls, ({ args, name }) => {
    const call = toolbox.understand({ callId: freshCallId(), tool: name, args })
    if (reason === "length" || name === "") return Effect.succeed(call)
    return Effect.map(repaired(args, toolbox.reads(call.tool)), (read) => toolbox.understand({ ...call, args: read }))
  })
