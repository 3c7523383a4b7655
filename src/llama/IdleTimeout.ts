import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface Watched {
  /** True while somebody waits for the server: while nobody reads, its silence is ours. */
  readonly isWaiting: () => boolean
  /** The number of signs of life so far. */
  readonly lifeSigns: () => number
  /** The silence allowed now, in milliseconds. */
  readonly limitMs: () => number
  readonly onSilence: (silentMs: number) => void
}

/**
 * Calls `onSilence` once the server has been silent for `limitMs`. It counts its own beats instead of reading a clock: a
 * laptop that slept, or a process that was stopped, has missed one beat and no more. A sign of life costs a counter, and
 * not a timer.
 */
export const watch = (watched: Watched, beatMs: number): Effect.Effect<never, never, Scope.Scope> => {
  let silentMs = 0
  let known = 0
  const beat = Effect.sync(() => {
    const alive = watched.lifeSigns() !== known || !watched.isWaiting()
    known = watched.lifeSigns()
    silentMs = alive ? 0 : silentMs + beatMs
    if (silentMs < watched.limitMs()) return
    watched.onSilence(silentMs)
    silentMs = 0
  })
  return Effect.forever(Effect.andThen(Effect.sleep(beatMs), beat))
}

/** A beat for a limit: a tenth of it, between 10 ms and a second. */
export const beatFor = (limitMs: number): number => Math.round(Math.min(1000, Math.max(10, limitMs / 10)))
