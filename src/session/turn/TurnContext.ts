import type { SessionFeed } from "../SessionFeed.ts"
import type { Turn } from "./Turn.ts"
import type { TurnSession } from "./TurnSession.ts"

/** What all parts of one running turn share; none of it changes while the turn runs. */
export interface TurnContext extends TurnSession {
  readonly turn: Turn
  readonly feed: SessionFeed
  /** 0-based in the session. */
  readonly turnIndex: number
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number
}
