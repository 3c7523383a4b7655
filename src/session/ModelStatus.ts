import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LlamaClient, type ServerState } from "../llama/LlamaClient.ts"
import type { LlamaError } from "../llama/LlamaError.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"

/** Pause between two probes of a server that is not ready, in milliseconds (contract 9, `llm_state`). */
const probeEveryMs = 2000

/** The last known state of the model server. Hosts with the extension `llm_state` get an event for each change. */
export class ModelStatus extends Context.Service<
  ModelStatus,
  {
    /** Emits the state that a session's first probe returned, changed or not. */
    report(state: ServerState): Effect.Effect<void>
    /** Emits the state that a request showed, if it differs from the last. */
    observe(state: ServerState["state"], detail?: string): Effect.Effect<void>
    /** Probes while the server is not ready and the host has the extension; never ends. */
    readonly probing: Effect.Effect<never>
    /** The model of the last state that named one. */
    readonly model: string | undefined
  }
>()("atomic-agent-sidecar/session/ModelStatus") {
  static readonly layer = Layer.effect(
    ModelStatus,
    Effect.gen(function* () {
      const llama = yield* LlamaClient
      const sink = yield* StdoutSink
      let last: ServerState = { state: "unreachable", url: llama.url }

      const report = (state: ServerState) =>
        Effect.suspend(() => {
          last = state
          return sink.emit({ type: "llm_state", payload: state })
        })

      // A server that loads or is unreachable names no model: the known one stays.
      const observeProbe = (state: ServerState) =>
        Effect.suspend(() => {
          const sameDetail = !["foreign", "unselected"].includes(state.state) || state.detail === last.detail
          const sameModel = state.model === undefined || state.model === last.model
          const same = state.state === last.state && sameModel && sameDetail
          return same ? Effect.void : report(state)
        })

      const observe = (state: ServerState["state"], detail?: string) =>
        Effect.suspend(() => {
          if (state === last.state) return Effect.void
          const { detail: _, ...known } = last
          return report({ ...known, state, ...(detail === undefined ? {} : { detail }) })
        })

      const probing = Effect.suspend(() =>
        last.state === "ready" || !sink.isGranted("llm_state") ? Effect.void : Effect.flatMap(llama.probe, observeProbe)
      ).pipe(Effect.andThen(Effect.sleep(probeEveryMs)), Effect.forever)

      return ModelStatus.of({
        report,
        observe,
        probing,
        get model() {
          return last.model
        }
      })
    })
  )
}

/** The state of the server that an error of a request implies; undefined where it implies none. */
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
