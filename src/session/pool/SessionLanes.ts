import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** More than there can be fibers that start or end a session. */
const all = 1_000_000

/** The order in which sessions start and end: those of one session one after another, and some with no other beside. */
export interface SessionLanes {
  /** Runs while nothing else runs in any lane. */
  alone<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  /** Runs while nothing else runs in the lane of this session. */
  of(id: string): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Waits until nothing runs; nothing runs afterwards. */
  readonly close: Effect.Effect<void>
}

export const make: Effect.Effect<SessionLanes> = Effect.sync(() => {
  const shared = Semaphore.makeUnsafe(all)
  const lanes = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()

  const enter = (id: string) => {
    const lane = lanes.get(id) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
    lanes.set(id, lane)
    lane.users++
    return lane
  }

  return {
    alone: shared.withPermits(all),
    of: (id) => (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => enter(id)),
        ({ semaphore }) => semaphore.withPermits(1)(effect),
        (lane) =>
          Effect.sync(() => {
            if (--lane.users === 0) lanes.delete(id)
          })
      ).pipe(shared.withPermits(1)),
    close: Effect.asVoid(shared.take(all))
  }
})
