import * as Schema from "effect/Schema"
import type { Extension } from "./Request.ts"
import { ApprovalCategory, ResultStatus, StepCategory, TurnReason } from "./SessionState.ts"

/** On every event of a session. */
const ofSession = { sessionId: Schema.String }
/** On every event of a turn: `turnId` is an additive field (contract 9). */
const ofTurn = { ...ofSession, turnId: Schema.String }
const batch = {
  batchIndex: Schema.optionalKey(Schema.Int),
  batchSize: Schema.optionalKey(Schema.Int)
}
const call = {
  ...ofTurn,
  /** Always -1: the specification says so. `step` has the number. */
  stepIndex: Schema.Literal(-1),
  step: Schema.Int,
  callId: Schema.String,
  tool: Schema.String
}

export const SessionStartedEvent = Schema.Struct({ ...ofSession, workingDir: Schema.String })
export const TurnStartedEvent = Schema.Struct({ ...ofTurn, turnIndex: Schema.Int })
export const TurnFinishedEvent = Schema.Struct({
  ...ofTurn,
  turnIndex: Schema.Int,
  reason: TurnReason,
  /** Steps of this turn. */
  stepCount: Schema.Int,
  durationMs: Schema.Int,
  /** Sums over the turn's steps, in tokens; absent where the server said nothing. */
  usage: Schema.optionalKey(
    Schema.Struct({ promptTokens: Schema.Int, cachedTokens: Schema.Int, completionTokens: Schema.Int })
  )
})
export const StepStartedEvent = Schema.Struct({ ...ofTurn, stepIndex: Schema.Int })
export const StepFinishedEvent = Schema.Struct({
  ...ofTurn,
  stepIndex: Schema.Int,
  /** Prompt and completion of the step. */
  tokensUsed: Schema.Int,
  durationMs: Schema.Int
})
export const SessionCompletedEvent = Schema.Struct({ ...ofTurn, reason: TurnReason })
export const SessionFailedEvent = Schema.Struct({ ...ofTurn, error: Schema.String, category: StepCategory })

export const UserMessageEvent = Schema.Struct({ ...ofTurn, text: Schema.String })
export const AssistantDeltaEvent = Schema.Struct({ ...ofTurn, text: Schema.String })
export const AssistantReplyEvent = Schema.Struct({
  ...ofTurn,
  text: Schema.String,
  attachments: Schema.optionalKey(Schema.Array(Schema.String)),
  progressNote: Schema.optionalKey(Schema.Boolean)
})
export const ReasoningDeltaEvent = Schema.Struct({ ...ofTurn, stepIndex: Schema.Int, text: Schema.String })
export const ToolCallStartedEvent = Schema.Struct({ ...call, args: Schema.Unknown, ...batch })
export const ToolCallResultEvent = Schema.Struct({
  ...call,
  status: ResultStatus,
  summary: Schema.String,
  truncated: Schema.optionalKey(Schema.Boolean),
  ...batch
})
export const SteerAppliedEvent = Schema.Struct({ ...ofTurn, text: Schema.String, stepIndex: Schema.Int })
export const SteerUndeliveredEvent = Schema.Struct({ ...ofTurn, text: Schema.String })

export const ApprovalRequestEvent = Schema.Struct({
  ...ofTurn,
  approvalId: Schema.String,
  callId: Schema.String,
  tool: Schema.String,
  category: Schema.optionalKey(ApprovalCategory),
  reason: Schema.String,
  preview: Schema.optionalKey(Schema.String),
  affectedResources: Schema.optionalKey(Schema.Array(Schema.String))
})
export const LlmRequestEvent = Schema.Struct({
  ...ofTurn,
  /** The slot we asked for, else -1. */
  slotId: Schema.Int,
  promptTokens: Schema.Int,
  cacheReused: Schema.Boolean
})
export const LlmResponseEvent = Schema.Struct({ ...ofTurn, completionTokens: Schema.Int, durationMs: Schema.Int })
export const LlmUnavailableEvent = Schema.Struct({
  url: Schema.String,
  error: Schema.String,
  mode: Schema.Literals(["external", "managed", "scripted"]),
  hint: Schema.String
})
export const SkillRegistryUpdatedEvent = Schema.Struct({
  installed: Schema.Array(Schema.Struct({ name: Schema.String, source: Schema.Literals(["global", "project"]) }))
})
export const LogLevel = Schema.Literals(["debug", "info", "warn", "error"])
export type LogLevel = typeof LogLevel.Type
export const LogEvent = Schema.Struct({
  level: LogLevel,
  message: Schema.String,
  context: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
export const MetricEvent = Schema.Struct({
  name: Schema.String,
  value: Schema.Finite,
  tags: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  sessionId: Schema.optionalKey(Schema.String),
  turnId: Schema.optionalKey(Schema.String)
})
export const ErrorEvent = Schema.Struct({
  message: Schema.String,
  code: Schema.optionalKey(Schema.String),
  stack: Schema.optionalKey(Schema.String),
  sessionId: Schema.optionalKey(Schema.String),
  turnId: Schema.optionalKey(Schema.String)
})

export const LlmProgressEvent = Schema.Struct({
  ...ofTurn,
  phase: Schema.Literals(["loading", "prefill", "generating"]),
  processed: Schema.optionalKey(Schema.Int),
  total: Schema.optionalKey(Schema.Int),
  cached: Schema.optionalKey(Schema.Int)
})
export const LlmStateEvent = Schema.Struct({
  state: Schema.Literals(["ready", "loading", "unreachable", "foreign"]),
  url: Schema.String,
  model: Schema.optionalKey(Schema.String),
  contextTokens: Schema.optionalKey(Schema.Int),
  detail: Schema.optionalKey(Schema.String)
})
export const ApprovalResolvedEvent = Schema.Struct({
  ...ofTurn,
  approvalId: Schema.String,
  outcome: Schema.Literals(["approved", "denied", "withdrawn"])
})
export const TurnQueuedEvent = Schema.Struct({
  ...ofSession,
  turnId: Schema.String,
  /** 0: it starts at once. */
  position: Schema.Int
})

/** The events of the specification, in its order. */
export const specifiedEvents = {
  session_started: SessionStartedEvent,
  turn_started: TurnStartedEvent,
  turn_finished: TurnFinishedEvent,
  step_started: StepStartedEvent,
  step_finished: StepFinishedEvent,
  session_completed: SessionCompletedEvent,
  session_failed: SessionFailedEvent,
  user_message: UserMessageEvent,
  assistant_delta: AssistantDeltaEvent,
  assistant_reply: AssistantReplyEvent,
  reasoning_delta: ReasoningDeltaEvent,
  tool_call_started: ToolCallStartedEvent,
  tool_call_result: ToolCallResultEvent,
  steer_applied: SteerAppliedEvent,
  steer_undelivered: SteerUndeliveredEvent,
  approval_request: ApprovalRequestEvent,
  llm_request: LlmRequestEvent,
  llm_response: LlmResponseEvent,
  llm_unavailable: LlmUnavailableEvent,
  skill_registry_updated: SkillRegistryUpdatedEvent,
  log: LogEvent,
  metric: MetricEvent,
  error: ErrorEvent
}

/** The events beyond the specification: sent only when `hello` has granted the extension (contract 9). */
export const extensionEvents = {
  llm_progress: LlmProgressEvent,
  llm_state: LlmStateEvent,
  approval_resolved: ApprovalResolvedEvent,
  turn_queued: TurnQueuedEvent
}

/** The extension that an event belongs to. */
export const eventExtension: { readonly [T in EventType]?: Extension } = {
  llm_progress: "llm_progress",
  llm_state: "llm_state",
  approval_resolved: "approval_resolved",
  turn_queued: "queue"
}

export const events = { ...specifiedEvents, ...extensionEvents }
export type Events = typeof events
export type EventType = keyof Events
export type EventPayload<T extends EventType> = Events[T]["Type"]

/** What is to be told to the host: an event before it gets its id. */
export type Event = {
  readonly [T in EventType]: { readonly type: T; readonly payload: EventPayload<T> }
}[EventType]

/** An event frame as the host reads it, of the given type. */
export type EventFrame<T extends EventType> = {
  readonly kind: "event"
  readonly id: string
  readonly type: T
  readonly payload: EventPayload<T>
  readonly correlationId?: string
}

/** Any event frame, tagged by `type`. */
export type SidecarEvent = { readonly [T in EventType]: EventFrame<T> }[EventType]
