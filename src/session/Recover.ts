import * as Effect from "effect/Effect"

/** For what no session and no turn is to be lost for: where it fails or dies, that is logged, and `instead` stands in. */
export const recover = <A, B, E, R>(
  message: string,
  effect: () => Effect.Effect<A, E, R>,
  instead: B
): Effect.Effect<A | B, never, R> =>
  Effect.catchCause(Effect.suspend(effect), (cause) => Effect.as(Effect.logError(message, cause), instead))
