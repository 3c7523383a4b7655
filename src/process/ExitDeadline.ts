import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The time that this process has until it exits, shared by everything that ends with it. */
export interface ExitDeadline {
  /** Milliseconds until the process exits, even if something still waits; `Infinity` while no exit is due. */
  readonly remainingMs: Effect.Effect<number>
}

/** Provided by the program that ends the process. By default there is no deadline. */
export const ExitDeadline = Context.Reference<ExitDeadline>("atomic-agent-sidecar/process/ExitDeadline", {
  defaultValue: () => ({ remainingMs: Effect.succeed(Infinity) })
})
