import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LlamaClient, type ServerState } from "../llama/LlamaClient.ts"
import type { LlamaError } from "../llama/LlamaError.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"

/** How long after a probe that did not find the server ready the next one comes, in milliseconds (contract 9). */
const probeEveryMs = 2000

/** What is known of the model server, told to hosts that asked for `llm_state`: each change once. */
export class ModelStatus extends Context.Service<
  ModelStatus,
  {
    /** Tells what a session's first probe found, changed or not. */
    begin(found: ServerState): Effect.Effect<void>
    /** Tells what a request showed, if that is something new. */
    saw(state: ServerState["state"], detail?: string): Effect.Effect<void>
    /** Probes while the server is not ready and the host wants to know; never ends. */
    readonly probing: Effect.Effect<never>
    /** The model that the server was last found with. */
    readonly model: string | undefined
  }
>()("atomic-agent-sidecar/session/ModelStatus") {
  static readonly layer = Layer.effect(
    ModelStatus,
    Effect.gen(function* () {
      const llama = yield* LlamaClient
      const sink = yield* StdoutSink
      let last: ServerState = { state: "unreachable", url: llama.url }

      const begin = (found: ServerState) =>
        Effect.suspend(() => {
          last = found
          return sink.emit({ type: "llm_state", payload: found })
        })

      // A server that loads, or is not there, does not say what it has: what was known of it stays.
      const found = (state: ServerState) =>
        Effect.suspend(() => {
          const same = state.state === last.state && (state.model === undefined || state.model === last.model)
          return same ? Effect.void : begin(state)
        })

      const saw = (state: ServerState["state"], detail?: string) =>
        Effect.suspend(() => {
          if (state === last.state) return Effect.void
          const { detail: _, ...known } = last
          return begin({ ...known, state, ...(detail === undefined ? {} : { detail }) })
        })

      const probing = Effect.suspend(() =>
        last.state === "ready" || !sink.isGranted("llm_state") ? Effect.void : Effect.flatMap(llama.probe, found)
      ).pipe(Effect.andThen(Effect.sleep(probeEveryMs)), Effect.forever)

      return ModelStatus.of({
        begin,
        saw,
        probing,
        get model() {
          return last.model
        }
      })
    })
  )
}

/** What an error of a request says of the server's state, where it says anything. */
export const stateShownBy = ({ reason }: LlamaError): ServerState["state"] | undefined => {
  switch (reason._tag) {
    case "Unreachable":
    case "Cut":
      return "unreachable"
    case "Loading":
      return "loading"
    case "Malformed":
      return "foreign"
    case "Rejected":
    case "Stalled":
    case "Overflow":
      return undefined
  }
}
