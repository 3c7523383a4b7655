import type { SessionTools } from "../../tools/SessionTools.ts"
import type { SessionGrants } from "../grants/SessionGrants.ts"
import type { SessionLog } from "../SessionLog.ts"
import type { SessionOptions } from "../SessionOptions.ts"
import type { SkillNotices } from "../SkillNotices.ts"

/** The session that a turn belongs to. */
export interface TurnSession {
  readonly log: SessionLog["Service"]
  readonly grants: SessionGrants["Service"]
  readonly options: SessionOptions["Service"]
  readonly tools: SessionTools["Service"]
  /** The system prompt, byte-stable within the session. */
  readonly system: string
  readonly skills: SkillNotices
}
