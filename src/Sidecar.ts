import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "./config/Config.ts"
import * as LlamaHttp from "./llama/LlamaHttp.ts"
import * as ManagedModel from "./llama/managed/ManagedModel.ts"
import { ServerOutput } from "./llama/managed/ServerOutput.ts"
import * as ScriptedModel from "./llama/scripted/ScriptedModel.ts"
import { ApprovalGate } from "./session/ApprovalGate.ts"
import { HostTools } from "./session/HostTools.ts"
import { ModelStep } from "./session/turn/ModelStep.ts"
import { ModelStatus } from "./session/ModelStatus.ts"
import { PerSession, type SessionLayers } from "./session/PerSession.ts"
import { ToolBatch } from "./session/turn/ToolBatch.ts"
import { TurnRunner } from "./session/turn/TurnRunner.ts"
import * as SkillFolders from "./skills/SkillFolders.ts"
import { SessionStore } from "./store/SessionStore.ts"
import { StdoutSink } from "./stdio/StdoutSink.ts"
import { Toolbox } from "./tools/Toolbox.ts"
import { Workspace } from "./tools/Workspace.ts"

/** Tells the host, at level `debug`, what our llama-server writes. */
export const serverOutput = Layer.effect(
  ServerOutput,
  Effect.map(
    StdoutSink,
    (sink) => (lines) =>
      sink.emitAll(
        lines.map((message) => ({
          type: "log",
          payload: { level: "debug", message, context: { source: "llama-server" } }
        }))
      )
  )
)

/** The model that `localModels.mode` names. */
export const model = Layer.unwrap(
  Effect.map(Config, ({ localModels: { mode, script } }) => {
    switch (mode) {
      case "external":
        return LlamaHttp.layer
      case "managed":
        return Layer.provide(ManagedModel.layer, serverOutput)
      case "scripted":
        return ScriptedModel.layer(script)
    }
  })
)

/**
 * The agent's loop, with these layers in place of the default ones for the services that each session gets anew. The
 * caller provides the shared ones: model, store, gate, skills, tools.
 */
export const agentWith = (layers: Partial<SessionLayers>) =>
  TurnRunner.layer.pipe(
    Layer.provide(Layer.mergeAll(ModelStep.layer, ToolBatch.layer)),
    Layer.provideMerge(Layer.mergeAll(ModelStatus.layer, HostTools.layer, PerSession.layerOf(layers)))
  )

/** The loop of the agent as the bin has it. */
export const agent = agentWith({})

/** What a session of the bin is made of; each layer can be replaced by another of the same service. */
export const sessionServices = agent.pipe(
  Layer.provide(Toolbox.layer),
  Layer.provide(Workspace.layer),
  Layer.provideMerge(Layer.mergeAll(ApprovalGate.layer, SkillFolders.layer, SessionStore.layer, model))
)
