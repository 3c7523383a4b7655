import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** How long this process may still live: what ends with it shares this time. */
export interface ExitDeadline {
  /** Milliseconds until the process exits, whatever still waits; `Infinity` while nothing ends it. */
  readonly remainingMs: Effect.Effect<number>
}

/** Provided by whoever ends the process; without one there is no deadline. */
export const ExitDeadline = Context.Reference<ExitDeadline>("atomic-agent-sidecar/process/ExitDeadline", {
  defaultValue: () => ({ remainingMs: Effect.succeed(Infinity) })
})
