import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds on the monotonic clock, from nanoseconds. */
export const toMillis = (nanos: bigint): number => Number(nanos / 1_000_000n)

/** Milliseconds on the monotonic clock, which a change of the system's time does not move. */
export const monotonicMs: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, toMillis)
