/**
 * What an embedder imports: the protocol's types, the services, and their layers. A host that speaks TypeScript needs
 * only the protocol's types here, and `atomic-agent-sidecar/host`.
 */
export type { SidecarFrame, SidecarResponse } from "./protocol/Frame.ts"
export * from "./protocol/Event.ts"
export * from "./protocol/Ids.ts"
export * from "./protocol/Request.ts"
export * from "./protocol/SessionState.ts"

export { Config, type Settings } from "./Config.ts"
export { ConfigInvalid } from "./config/ConfigInvalid.ts"
export * from "./llama/LlamaClient.ts"
export * from "./llama/LlamaError.ts"
export { Lifeline } from "./stdio/Lifeline.ts"
export { type InstalledSkill, SkillRefused, SkillRegistry } from "./skills/SkillRegistry.ts"
export { StdinDecoder } from "./stdio/StdinDecoder.ts"
export { StdoutSink } from "./stdio/StdoutSink.ts"
export { SessionStore, type StoredSession } from "./store/SessionStore.ts"
export * as Tool from "./tools/Tool.ts"
export { Toolbox } from "./tools/Toolbox.ts"
export { Workspace } from "./tools/Workspace.ts"
export { ApprovalGate } from "./session/ApprovalGate.ts"
export { ModelStep } from "./session/ModelStep.ts"
export { type SessionServices, SessionRuntime } from "./session/SessionRuntime.ts"
export { ToolBatch } from "./session/ToolBatch.ts"
export { TurnRunner } from "./session/TurnRunner.ts"
export { RequestRouter } from "./router/RequestRouter.ts"
export { run, serve } from "./Serving.ts"
export { agent, model, sessionServices } from "./Sidecar.ts"
export * as SkillFolders from "./skills/SkillFolders.ts"
export { sidecarVersion } from "./Version.ts"

export { type ApprovalOption, type SentTurnEffects, SidecarHostService } from "./host/SidecarHostService.ts"
