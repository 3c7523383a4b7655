import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { SentRequest } from "../../src/testing/ContractChecker.ts"
import { turn } from "../../src/testing/EventLoop.ts"
import * as Tool from "../../src/tools/Tool.ts"

/** A tool that never ends by itself, and takes its time when it is interrupted. */
export const stubbornTool = () => {
  const started = Deferred.makeUnsafe<void>()
  const released = Deferred.makeUnsafe<void>()
  const tool = Tool.make({
    name: "stubborn",
    description: "takes its time",
    parameters: Schema.Struct({}),
    reads: false,
    plan: () =>
      Effect.succeed({
        run: Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.await(released))
        )
      })
  })
  return {
    tool,
    started: Deferred.await(started),
    /** Lets the interruption end. */
    release: Deferred.succeed(released, undefined)
  }
}

/** Lets all fibers of this process come to where they wait, files included; a host that does not read cannot tell. */
export const settled = Effect.repeat(turn, { times: 20 })

/** The frames as short words: `type` of an event, `→ type` of the response to a request; figures left out. */
export const order = (
  frames: ReadonlyArray<SidecarFrame>,
  requests: ReadonlyArray<SentRequest>
): ReadonlyArray<string> =>
  frames.flatMap((frame) => {
    if (frame.kind === "response") return [`→ ${requests.find(({ id }) => id === frame.correlationId)?.type}`]
    return frame.type === "metric" ? [] : [frame.type]
  })
