import * as Effect from "effect/Effect"

/** Runs an optional effect: a failure or defect is logged with `message`, and `fallback` is returned. */
export const recover = <A, B, E, R>(
  message: string,
  effect: () => Effect.Effect<A, E, R>,
  fallback: B
): Effect.Effect<A | B, never, R> =>
  Effect.catchCause(Effect.suspend(effect), (cause) => Effect.as(Effect.logError(message, cause), fallback))
