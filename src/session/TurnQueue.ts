import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type { Turn } from "./turn/Turn.ts"

/** The turns of one session that wait, first in, first out; any number of them. */
export class TurnQueue extends Context.Service<
  TurnQueue,
  {
    /** Adds a turn at the end; returns how many turns will be played before it. */
    offer(turn: Turn): number
    /** Takes the first turn. */
    next(): Turn | undefined
    /** Removes a turn; undefined if it does not wait. */
    remove(turnId: string): Turn | undefined
    /** The turns that will be played, in order: cancelled ones are left out. */
    readonly waiting: ReadonlyArray<Turn>
    /** Waits until a turn was offered since the last call. */
    readonly doorbell: Effect.Effect<void>
  }
>()("atomic-agent-sidecar/session/TurnQueue") {
  static readonly layer = Layer.effect(
    TurnQueue,
    Effect.gen(function* () {
      let turns: Array<Turn> = []
      // Holds one ring, however many turns were offered: the actor drains the queue each time.
      const bell = yield* Queue.sliding<void>(1)

      return TurnQueue.of({
        offer(turn) {
          turns.push(turn)
          Queue.offerUnsafe(bell, undefined)
          // A cancel marks all turns that wait, so cancelled ones stand at the head.
          return turns.length - 1 - turns.findIndex(({ isCancelled }) => !isCancelled)
        },
        next: () => turns.shift(),
        remove(turnId) {
          const waiting = turns.find((turn) => turn.id === turnId && !turn.isCancelled)
          turns = turns.filter((turn) => turn !== waiting)
          return waiting
        },
        get waiting() {
          return turns.filter((turn) => !turn.isCancelled)
        },
        doorbell: Queue.take(bell)
      })
    })
  )
}
