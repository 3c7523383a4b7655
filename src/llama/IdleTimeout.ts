import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface IdleOptions {
  /** True while a read waits for the server. While nothing reads, silence is not the server's. */
  readonly isWaiting: () => boolean
  /** A counter of signs of life, which is cheaper than a timer that each of them resets. */
  readonly lifeSigns: () => number
  /** The longest silence allowed at this moment, in milliseconds. */
  readonly limitMs: () => number
  readonly onSilence: (silentMs: number) => void
}

/**
 * Calls `onSilence` when the server has been silent for `limitMs`. Time is counted in intervals of `beatMs` instead of
 * read from a clock, so that a laptop that slept or a process that was stopped has missed only one of them (runtime,
 * Configuration).
 */
export const watch = (options: IdleOptions, beatMs: number): Effect.Effect<never, never, Scope.Scope> => {
  let silentMs = 0
  let knownLifeSigns = 0
  const beat = Effect.sync(() => {
    const alive = options.lifeSigns() !== knownLifeSigns || !options.isWaiting()
    knownLifeSigns = options.lifeSigns()
    silentMs = alive ? 0 : silentMs + beatMs
    if (silentMs < options.limitMs()) return
    options.onSilence(silentMs)
    silentMs = 0
  })
  return Effect.forever(Effect.andThen(Effect.sleep(beatMs), beat))
}

/** The interval for a limit: a tenth of it, from 10 ms to 1 s. */
export const beatFor = (limitMs: number): number => Math.round(Math.min(1000, Math.max(10, limitMs / 10)))
