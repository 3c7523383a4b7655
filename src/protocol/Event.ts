import type { eventTable } from "./EventTable.ts"

export type EventType = keyof typeof eventTable
export type EventPayload<T extends EventType> = (typeof eventTable)[T]["schema"]["Type"]

/** The event types that the first version of the protocol declares; `pong` and `trace` are never sent. */
export type SidecarEventType = EventType | "pong" | "trace"

/** An event for the host before it gets its id. */
export type EmittedEvent = {
  readonly [T in EventType]: { readonly type: T; readonly payload: EventPayload<T> }
}[EventType]

/** The events of a turn, without the ids of session and turn. */
export type TurnEvent = {
  readonly [T in EventType]: "turnId" extends keyof EventPayload<T>
    ? { readonly type: T; readonly payload: Omit<EventPayload<T>, "sessionId" | "turnId"> }
    : never
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

// Written by `npm run tables`.
export type SessionStartedEvent = EventPayload<"session_started">
export type TurnStartedEvent = EventPayload<"turn_started">
export type TurnFinishedEvent = EventPayload<"turn_finished">
export type StepStartedEvent = EventPayload<"step_started">
export type StepFinishedEvent = EventPayload<"step_finished">
export type SessionCompletedEvent = EventPayload<"session_completed">
export type SessionFailedEvent = EventPayload<"session_failed">
export type UserMessageEvent = EventPayload<"user_message">
export type AssistantDeltaEvent = EventPayload<"assistant_delta">
export type AssistantReplyEvent = EventPayload<"assistant_reply">
export type ReasoningDeltaEvent = EventPayload<"reasoning_delta">
export type ToolCallStartedEvent = EventPayload<"tool_call_started">
export type ToolCallResultEvent = EventPayload<"tool_call_result">
export type SteerAppliedEvent = EventPayload<"steer_applied">
export type SteerUndeliveredEvent = EventPayload<"steer_undelivered">
export type ApprovalRequestEvent = EventPayload<"approval_request">
export type LlmRequestEvent = EventPayload<"llm_request">
export type LlmResponseEvent = EventPayload<"llm_response">
export type LlmUnavailableEvent = EventPayload<"llm_unavailable">
export type SkillRegistryUpdatedEvent = EventPayload<"skill_registry_updated">
export type LogEvent = EventPayload<"log">
export type MetricEvent = EventPayload<"metric">
export type ErrorEvent = EventPayload<"error">
export type ToolRequestEvent = EventPayload<"tool_request">
export type ToolWithdrawnEvent = EventPayload<"tool_withdrawn">
export type ToolOutputEvent = EventPayload<"tool_output">
export type LlmProgressEvent = EventPayload<"llm_progress">
export type LlmStateEvent = EventPayload<"llm_state">
export type ApprovalResolvedEvent = EventPayload<"approval_resolved">
export type TurnQueuedEvent = EventPayload<"turn_queued">
