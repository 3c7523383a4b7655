import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "./Config.ts"
import * as LlamaHttp from "./llama/LlamaHttp.ts"
import * as ScriptedModel from "./llama/ScriptedModel.ts"
import { run } from "./Serving.ts"
import { ApprovalGate } from "./session/ApprovalGate.ts"
import { ModelStep } from "./session/ModelStep.ts"
import { ModelWatch } from "./session/ModelWatch.ts"
import { ToolBatch } from "./session/ToolBatch.ts"
import { TurnRunner } from "./session/TurnRunner.ts"
import * as SkillFolders from "./skills/SkillFolders.ts"
import { SessionStore } from "./store/SessionStore.ts"
import { Toolbox } from "./tools/Toolbox.ts"
import { Workspace } from "./tools/Workspace.ts"

/** The model that `localModels.mode` names. */
export const model = Layer.unwrap(
  Effect.map(Config, ({ localModels }) =>
    localModels.mode === "scripted" ? ScriptedModel.layer(localModels.script) : LlamaHttp.layer
  )
)

/** What a session is made of; each layer can be replaced by another of the same service. */
export const sessionServices = TurnRunner.layer.pipe(
  Layer.provide(Layer.mergeAll(ModelStep.layer, ToolBatch.layer)),
  Layer.provideMerge(Layer.merge(ApprovalGate.layer, ModelWatch.layer)),
  Layer.provide(Toolbox.layer),
  Layer.provide(Workspace.layer),
  Layer.provideMerge(SkillFolders.layer),
  Layer.provideMerge(Layer.merge(model, SessionStore.layer))
)

/** The sidecar as the bin runs it: over the process's `Stdio`, with the `Config` that it is given. */
export const sidecar = run(sessionServices)
