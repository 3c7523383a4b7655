import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Takes the lines that our llama-server writes; it may wait, and the server's output is then bounded by `ServerLog`. */
export type ServerOutput = (lines: ReadonlyArray<string>) => Effect.Effect<void>

/** Where these lines go; nowhere, unless it is provided. Only read where `log.level` is `debug`. */
export const ServerOutput = Context.Reference<ServerOutput>("atomic-agent-sidecar/llama/managed/ServerOutput", {
  defaultValue: () => () => Effect.void
})
