import * as Context from "effect/Context"
import type { SkillNotices } from "./SkillNotices.ts"

/** What the model of one session gets beside its history. */
export class SessionPrompt extends Context.Service<
  SessionPrompt,
  {
    /** The system prompt, byte-stable within the session, so that the server's prompt cache holds. */
    readonly system: string
    readonly skills: SkillNotices
  }
>()("atomic-agent-sidecar/session/SessionPrompt") {}
