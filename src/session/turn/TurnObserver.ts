import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ModelFinished } from "../../llama/LlamaClient.ts"
import type { CallId, TurnId } from "../../protocol/Ids.ts"
import type { SessionFeed, TurnEvent } from "../SessionFeed.ts"

export type { ModelFinished } from "../../llama/LlamaClient.ts"

/** Follows turns from within: it is told at once, waits for nothing, and changes nothing. */
export interface TurnObserver {
  /** The turn tells the host this. */
  onEvents(feed: Pick<SessionFeed, "sessionId" | "turnId">, events: ReadonlyArray<TurnEvent>): void
  /** A model call begins. */
  onModelCall(turnId: TurnId, model: string | undefined): void
  /** It has ended well. */
  onModelAnswer(turnId: TurnId, finished: ModelFinished): void
  /** A tool call is looked at; `tool` is absent where there is none of the name that the model gave. */
  onToolCall(turnId: TurnId, callId: CallId, tool: string | undefined): void
}

/** Who follows the turns; nobody, unless telemetry is turned on. */
export const TurnObserver = Context.Reference<TurnObserver | undefined>(
  "atomic-agent-sidecar/session/turn/TurnObserver",
  {
    defaultValue: () => undefined
  }
)

/** A feed that the follower hears too. */
export const observed = (feed: SessionFeed, follower: TurnObserver | undefined): SessionFeed =>
  follower === undefined
    ? feed
    : {
        ...feed,
        emit: (event) =>
          Effect.suspend(() => {
            follower.onEvents(feed, [event])
            return feed.emit(event)
          }),
        emitAll: (events) =>
          Effect.suspend(() => {
            follower.onEvents(feed, events)
            return feed.emitAll(events)
          })
      }
