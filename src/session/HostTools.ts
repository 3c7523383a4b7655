import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Refused, refuse } from "../files/Refused.ts"
import type { HostTool } from "../protocol/HostTool.ts"
import { freshRequestId } from "../protocol/Ids.ts"
import type { ToolResponsePayload } from "../protocol/Request.ts"
import type { ArgumentSchema } from "../tools/ArgumentSchema.ts"
import * as Tool from "../tools/Tool.ts"

/** How long a host may take for a call that names no limit, in milliseconds (contract 9, `host_tools`). */
const defaultTimeoutMs = 600_000

/** The tools that the host runs: asks it, and lets the call wait for its answer (contract 9, `host_tools`). */
export class HostTools extends Context.Service<
  HostTools,
  {
    /** The tool of a description; `parameters` are its arguments. */
    make(description: HostTool, parameters: ArgumentSchema): Tool.Tool
    /** Answers an open call; false if there is none of this id. */
    respond(response: ToolResponsePayload): boolean
  }
>()("atomic-agent-sidecar/session/HostTools") {
  static readonly layer = Layer.effect(
    HostTools,
    Effect.sync(() => {
      const open = new Map<string, Deferred.Deferred<Tool.ToolOutput>>()

      /** Asks the host; interrupting it withdraws the request. */
      const ask = (tool: string, args: unknown, limitMs: number, { callId, emit }: Tool.CallFeed) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const requestId = freshRequestId()
            const answer = Deferred.makeUnsafe<Tool.ToolOutput>()
            open.set(requestId, answer)
            yield* emit({ type: "tool_request", payload: { callId, requestId, tool, args } })
            /** False if the host has answered meanwhile. */
            const withdraw = (reason: "cancelled" | "timeout") =>
              Effect.suspend(() =>
                // First: an answer that arrives while the event waits for room is too late.
                open.delete(requestId)
                  ? Effect.as(emit({ type: "tool_withdrawn", payload: { requestId, reason } }), true)
                  : Effect.succeed(false)
              )
            const late = Effect.flatMap(withdraw("timeout"), (isLate): Effect.Effect<Tool.ToolOutput, Refused> =>
              isLate ? Effect.fail(refuse(`the app did not answer within ${limitMs} ms`)) : Deferred.await(answer)
            )
            return yield* restore(
              Effect.timeoutOrElse(Deferred.await(answer), { duration: limitMs, orElse: () => late })
            ).pipe(Effect.onInterrupt(() => withdraw("cancelled")))
          })
        )

      return HostTools.of({
        make: ({ description, name, reads, timeoutMs }, parameters) =>
          Tool.make({
            name,
            description,
            parameters,
            reads: reads === true,
            mayRepeat: true,
            // Its own limit counts from the request.
            timeoutMs: null,
            plan: (args, { call }) => Effect.succeed({ run: ask(name, args, timeoutMs ?? defaultTimeoutMs, call) })
          }),
        respond: ({ isError, requestId, text, truncated }) => {
          const answer = open.get(requestId)
          if (answer === undefined) return false
          open.delete(requestId)
          return Deferred.doneUnsafe(
            answer,
            Effect.succeed({ text, isError: isError === true, truncated: truncated === true })
          )
        }
      })
    })
  )
}
