import type { CallId } from "../protocol/Ids.ts"
import type { EventPayload } from "../protocol/Event.ts"
import type { StepCategory, TurnReason } from "../protocol/SessionState.ts"
import type { Usage } from "../llama/LlamaClient.ts"
import * as Schema from "effect/Schema"
import type { SessionFeed } from "./SessionFeed.ts"
import type { SessionLog } from "./SessionLog.ts"
import type { Steering } from "./Steering.ts"
import type { Turn } from "./Turn.ts"

/** A step that could not be recovered: it ends its turn (contract 6). */
export class StepFailure extends Schema.TaggedError<StepFailure>()("StepFailure", {
  category: Schema.Literals(["transport", "grammar", "model", "tool"] satisfies ReadonlyArray<StepCategory>),
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** A call that was announced and has no result yet. */
export interface OpenCall {
  readonly callId: CallId
  readonly tool: string
  readonly batch: Pick<EventPayload<"tool_call_started">, "batchIndex" | "batchSize">
}

/** The step that is under way. */
export interface OpenStep {
  /** 0-based in the turn. */
  readonly index: number
  /** The last that the turn is allowed. */
  readonly isLast: boolean
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number
  /** What has streamed and is not committed yet. */
  text: string
  reasoning: string
  tokensUsed: number
  readonly openCalls: Map<CallId, OpenCall>
}

/** What a running turn has done so far; its steps write it, its one exit path reads it. */
export interface TurnState {
  readonly turn: Turn
  readonly feed: SessionFeed
  readonly ledger: SessionLog["Service"]
  readonly steering: Steering
  /** Byte-stable within the session. */
  readonly system: string
  /** 0-based in the session. */
  readonly turnIndex: number
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number
  stepCount: number
  step: OpenStep | undefined
  usage: Usage | undefined
  /** Absolute paths for the closing reply. */
  attachments: ReadonlyArray<string>
  /** Calls that were denied in this turn, by `callKey`. */
  readonly denied: Map<string, string>
  /** The last call and how often in a row it gave the same result. */
  repeated: { readonly key: string; readonly summary: string; readonly times: number } | undefined
  /** Steps in a row that asked for nothing but unusable calls. */
  unusableSteps: number
  /** How it ends, once its closing reply has been told: nothing can change that any more. */
  closed: Exclude<TurnReason, "failed" | "cancelled"> | undefined
}

/** Milliseconds on the monotonic clock, from nanoseconds. */
export const toMillis = (nanos: bigint): number => Number(nanos / 1_000_000n)
