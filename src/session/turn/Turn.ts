import type * as Deferred from "effect/Deferred"
import type * as Effect from "effect/Effect"
import type { TurnId } from "../../protocol/Ids.ts"
import type { SendMessageResult } from "../../protocol/Request.ts"
import type { TurnReason } from "../../protocol/SessionState.ts"
import type { Steering } from "../Steering.ts"

/** One `send_message` from its acceptance to its response. */
export interface Turn {
  readonly id: TurnId
  readonly text: string
  /** When it was accepted, in milliseconds on the monotonic clock. */
  readonly acceptedAt: number
  /** The step budget that its message names, at least 1. */
  readonly maxSteps: number | undefined
  /** What it is steered with, from its acceptance on. */
  readonly steering: Steering
  /** Writes the response: the last act of a turn. */
  readonly answer: (result: SendMessageResult) => Effect.Effect<void>
  /** Done when the turn has been answered. */
  readonly answered: Deferred.Deferred<void>
  /** Set by a cancel. A turn that has not started yet then ends without any event. */
  isCancelled: boolean
  /** Set when its time is over: why what it was doing is ended. */
  outOfTime: string | undefined
  /** The reason that its response gave; undefined until then. */
  endedAs: TurnReason | undefined
}
