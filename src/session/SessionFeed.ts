import * as Effect from "effect/Effect"
import type { EmittedEvent, TurnEvent } from "../protocol/Event.ts"
import type { SessionId, TurnId } from "../protocol/Ids.ts"
import type { StdoutSink } from "../stdio/StdoutSink.ts"

export type { TurnEvent } from "../protocol/Event.ts"

/** Emits the events of one turn, with the ids of its session and turn. */
export interface SessionFeed {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  /** As `StdoutSink.emit`. */
  emit(event: TurnEvent): Effect.Effect<void>
  /** As `StdoutSink.emitAll`. */
  emitAll(events: ReadonlyArray<TurnEvent>): Effect.Effect<void>
}

export const make = (sink: StdoutSink["Service"], sessionId: SessionId, turnId: TurnId): SessionFeed => {
  const signed = (event: TurnEvent) =>
    ({ type: event.type, payload: { sessionId, turnId, ...event.payload } }) as unknown as EmittedEvent

  return {
    sessionId,
    turnId,
    emit: (event) => sink.emit(signed(event)),
    emitAll: (events) => (events.length === 0 ? Effect.void : sink.emitAll(events.map(signed)))
  }
}
