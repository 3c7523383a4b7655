import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Passes on the lines that the managed server writes. It may wait; the lines are bounded by `ServerLog` meanwhile. */
export type ServerOutput = (lines: ReadonlyArray<string>) => Effect.Effect<void>

/** Where the managed server's lines go; by default they are dropped. Only used if `log.level` is `debug`. */
export const ServerOutput = Context.Reference<ServerOutput>("atomic-agent-sidecar/llama/managed/ServerOutput", {
  defaultValue: () => () => Effect.void
})
