import type { LlamaClient } from "../llama/LlamaClient.ts"
import type { SkillRegistry } from "../skills/SkillRegistry.ts"
import type { SessionStore } from "../store/SessionStore.ts"
import type { ApprovalGate } from "./ApprovalGate.ts"
import type { HostTools } from "./HostTools.ts"
import type { ModelStatus } from "./ModelStatus.ts"
import type { PerSession } from "./PerSession.ts"
import type { TurnRunner } from "./turn/TurnRunner.ts"

/** The services that all sessions of a process share. */
export type SessionServices =
  | TurnRunner
  | ApprovalGate
  | HostTools
  | ModelStatus
  | SessionStore
  | SkillRegistry
  | LlamaClient
  | PerSession
