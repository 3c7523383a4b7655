import type { EventType } from "./Event.ts"
import type { Extension } from "./Extension.ts"

// The types of all events and the extension that each belongs to, without the schemas of the table: they would bring
// Effect into `./host`, and cost the sidecar a millisecond of its start.

// Written by `npm run tables`.
export const eventExtensions: { readonly [T in EventType]: Extension | undefined } = {
  session_started: undefined,
  turn_started: undefined,
  turn_finished: undefined,
  step_started: undefined,
  step_finished: undefined,
  session_completed: undefined,
  session_failed: undefined,
  user_message: undefined,
  assistant_delta: undefined,
  assistant_reply: undefined,
  reasoning_delta: undefined,
  tool_call_started: undefined,
  tool_call_result: undefined,
  steer_applied: undefined,
  steer_undelivered: undefined,
  approval_request: undefined,
  llm_request: undefined,
  llm_response: undefined,
  llm_unavailable: undefined,
  skill_registry_updated: undefined,
  log: undefined,
  metric: undefined,
  error: undefined,
  tool_request: "host_tools",
  tool_withdrawn: "host_tools",
  tool_output: "tool_output",
  llm_progress: "llm_progress",
  llm_state: "llm_state",
  approval_resolved: "approval_resolved",
  turn_queued: "queue"
}
