import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type { Turn } from "./turn/Turn.ts"

/** The turns of one session that wait, first in, first out; any number of them. */
export class TurnQueue extends Context.Service<
  TurnQueue,
  {
    /** How many turns will be played before it. */
    offer(turn: Turn): number
    /** Takes the turn whose time has come. */
    next(): Turn | undefined
    /** Takes one out of the line; whether it was there. */
    remove(turnId: string): Turn | undefined
    /** Those that will be played, in order. */
    readonly waiting: ReadonlyArray<Turn>
    /** Waits until something has been offered since the last time. */
    readonly doorbell: Effect.Effect<void>
  }
>()("atomic-agent-sidecar/session/TurnQueue") {
  static readonly layer = Layer.effect(
    TurnQueue,
    Effect.gen(function* () {
      let turns: Array<Turn> = []
      // Rings once, however often it is pressed: the one who hears it drains the queue.
      const bell = yield* Queue.sliding<void>(1)

      return TurnQueue.of({
        offer(turn) {
          turns.push(turn)
          Queue.offerUnsafe(bell, undefined)
          // A cancel takes all that wait: those it took stand at the head.
          return turns.length - 1 - turns.findIndex(({ isCancelled }) => !isCancelled)
        },
        next: () => turns.shift(),
        remove(turnId) {
          const found = turns.find((turn) => turn.id === turnId && !turn.isCancelled)
          if (found !== undefined) turns = turns.filter((turn) => turn !== found)
          return found
        },
        get waiting() {
          return turns.filter((turn) => !turn.isCancelled)
        },
        doorbell: Queue.take(bell)
      })
    })
  )
}
