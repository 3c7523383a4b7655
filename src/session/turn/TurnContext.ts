import type { SessionFeed } from "../SessionFeed.ts"
import type { SessionLog } from "../SessionLog.ts"
import type { Steering } from "../Steering.ts"
import type { Turn } from "./Turn.ts"

/** What all parts of one running turn share; none of it changes while the turn runs. */
export interface TurnContext {
  readonly turn: Turn
  readonly feed: SessionFeed
  readonly log: SessionLog["Service"]
  readonly steering: Steering
  /** The system prompt, byte-stable within the session. */
  readonly system: string
  /** 0-based in the session. */
  readonly turnIndex: number
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number
}
