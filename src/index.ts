/**
 * What an embedder imports: the protocol's types, the services, and their layers. A host that speaks TypeScript needs
 * only the protocol's types here, and `atomic-agent-sidecar/host`.
 */
export type { EventErrorCode, ResponseErrorCode, SidecarFrame, SidecarResponse } from "./protocol/Frame.ts"
export type * from "./protocol/Event.ts"
export { eventTable } from "./protocol/EventTable.ts"
export { Extension } from "./protocol/Extension.ts"
export {
  ApprovalId,
  CallId,
  freshApprovalId,
  freshCallId,
  freshSessionId,
  freshTurnId,
  SessionId,
  TurnId
} from "./protocol/Ids.ts"
export { Grant, Offer } from "./protocol/Grant.ts"
export { LogLevel } from "./protocol/LogLevel.ts"
export type * from "./protocol/Request.ts"
export { requestTable } from "./protocol/RequestTable.ts"
export * from "./protocol/SessionState.ts"

export { Config } from "./config/Config.ts"
export type { Settings } from "./config/Settings.ts"
export { ConfigInvalid } from "./config/ConfigInvalid.ts"
export {
  LlamaClient,
  type ModelEvent,
  type ModelFinished,
  type ModelRequest,
  type ModelToolCall,
  type ServerLoss,
  type ServerState,
  type Usage
} from "./llama/LlamaClient.ts"
export { LlamaError } from "./llama/LlamaError.ts"
export * as LlamaErrors from "./llama/LlamaError.ts"
export { Lifeline } from "./stdio/Lifeline.ts"
export { Refused } from "./files/Refused.ts"
export { type InstalledSkill, SkillRegistry } from "./skills/SkillRegistry.ts"
export { StdinDecoder } from "./stdio/StdinDecoder.ts"
export * as LogFrames from "./stdio/LogFrames.ts"
export * as StdoutGuard from "./stdio/StdoutGuard.ts"
export { StdoutSink } from "./stdio/StdoutSink.ts"
export { SessionStore, type StoredSession } from "./store/SessionStore.ts"
export * as ArgumentSchema from "./tools/ArgumentSchema.ts"
export * as Tool from "./tools/Tool.ts"
export { SessionTools } from "./tools/SessionTools.ts"
export { Toolbox, type ToolsOf } from "./tools/Toolbox.ts"
export { readNeed, Workspace, writeNeed } from "./tools/Workspace.ts"
export { ApprovalGate } from "./session/ApprovalGate.ts"
export { SessionGrants } from "./session/grants/SessionGrants.ts"
export { ModelStep } from "./session/turn/ModelStep.ts"
export { SessionActor } from "./session/SessionActor.ts"
export { SessionLog } from "./session/SessionLog.ts"
export { PerSession, type SessionLayers } from "./session/PerSession.ts"
export { SessionPrompt } from "./session/SessionPrompt.ts"
export type { SessionServices } from "./session/SessionServices.ts"
export { TurnQueue } from "./session/TurnQueue.ts"
export { ToolBatch } from "./session/turn/ToolBatch.ts"
export { TurnRunner } from "./session/turn/TurnRunner.ts"
export { RequestRouter } from "./router/RequestRouter.ts"
export { hostPipe, type PipeLayers, run, serve } from "./Serving.ts"
export { agent, agentWith, model, sessionServices } from "./Sidecar.ts"
export * as SkillFolders from "./skills/SkillFolders.ts"
export { sidecarVersion } from "./Version.ts"

export { type ApprovalOption, type SentTurnEffects, SidecarHostService } from "./host/SidecarHostService.ts"
