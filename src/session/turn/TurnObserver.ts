import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ModelFinished } from "../../llama/LlamaClient.ts"
import type { CallId, TurnId } from "../../protocol/Ids.ts"
import type { SessionFeed, TurnEvent } from "../SessionFeed.ts"

export type { ModelFinished } from "../../llama/LlamaClient.ts"

/** Observes turns, for telemetry. Its methods are called synchronously and change nothing. */
export interface TurnObserver {
  /** The turn emits events to the host. */
  onEvents(feed: Pick<SessionFeed, "sessionId" | "turnId">, events: ReadonlyArray<TurnEvent>): void
  /** A model call begins; `model` is undefined if its name is not known. */
  onModelCall(turnId: TurnId, model: string | undefined): void
  /** A model call has ended without an error. */
  onModelAnswer(turnId: TurnId, finished: ModelFinished): void
  /** A tool call is planned; `tool` is undefined if there is none of the name that the model gave. */
  onToolCall(turnId: TurnId, callId: CallId, tool: string | undefined): void
}

/** The observer of turns; undefined unless telemetry is turned on. */
export const TurnObserver = Context.Reference<TurnObserver | undefined>(
  "atomic-agent-sidecar/session/turn/TurnObserver",
  {
    defaultValue: () => undefined
  }
)

/** A feed whose events the observer gets too. */
export const observed = (feed: SessionFeed, observer: TurnObserver | undefined): SessionFeed => {
  if (observer === undefined) return feed
  const emitAll = (events: ReadonlyArray<TurnEvent>) =>
    Effect.suspend(() => {
      observer.onEvents(feed, events)
      return feed.emitAll(events)
    })
  return { ...feed, emit: (event) => emitAll([event]), emitAll }
}
