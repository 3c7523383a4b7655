import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StdoutSink } from "../stdio/StdoutSink.ts"
import type { SessionGrants } from "./grants/SessionGrants.ts"
import { SessionActor } from "./SessionActor.ts"
import { SessionLog } from "./SessionLog.ts"
import { SessionOptions } from "./SessionOptions.ts"
import type { SessionPrompt } from "./SessionPrompt.ts"
import { SessionTools } from "../tools/SessionTools.ts"
import { SessionSetup } from "./SessionSetup.ts"
import { TurnQueue } from "./TurnQueue.ts"
import { Toolbox } from "../tools/Toolbox.ts"
import type { TurnRunner } from "./turn/TurnRunner.ts"

/** The services that the layers of one session may use: five of the session, `TurnRunner` and `StdoutSink`. */
export type SessionRequirements =
  | SessionGrants
  | SessionLog
  | SessionOptions
  | SessionPrompt
  | SessionSetup
  | TurnRunner
  | StdoutSink

/** The layers that are built anew for each session and end with it. */
export interface SessionLayers {
  readonly sessionActor: Layer.Layer<SessionActor, never, TurnQueue | SessionTools | SessionRequirements>
  readonly turnQueue: Layer.Layer<TurnQueue>
}

/** How the services of one session are built: a layer that is kept as a value, since each session needs its own. */
export class PerSession extends Context.Service<
  PerSession,
  {
    readonly layer: Layer.Layer<SessionActor, never, SessionRequirements>
    /** The names of the tools that a session may have. */
    readonly toolNames: ReadonlyArray<string>
  }
>()("atomic-agent-sidecar/session/PerSession") {
  /** The default layers, replaced by those that are given. */
  static layerOf({
    sessionActor = SessionActor.layer,
    turnQueue = TurnQueue.layer
  }: Partial<SessionLayers>): Layer.Layer<PerSession, never, Toolbox> {
    return Layer.effect(
      this,
      Effect.map(Toolbox, (toolbox) => {
        const tools = Layer.effect(
          SessionTools,
          Effect.gen(function* () {
            const { workingDir } = yield* SessionLog
            const { disabledTools } = (yield* SessionOptions).current
            const { tools } = yield* SessionSetup
            return yield* toolbox.open({ workingDir, disabledTools, extra: tools })
          })
        )
        // Fresh: a layer that was built for another session must not serve this one.
        return {
          toolNames: toolbox.names,
          layer: Layer.fresh(Layer.provide(sessionActor, Layer.merge(turnQueue, tools)))
        }
      })
    )
  }
}
