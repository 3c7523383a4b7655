import * as Schema from "effect/Schema"

/** What a host must ask for by `hello` (contract 9). An entry of a table that names one belongs to it. */
export const Extension = Schema.Literals([
  "llm_progress",
  "llm_state",
  "approval_resolved",
  "queue",
  "sessions",
  "parallel_sessions",
  "options",
  "host_tools",
  "tool_output",
  "grants"
]).annotate({
  identifier: "Extension",
  description: "A group of requests and events that `hello` grants."
})
export type Extension = typeof Extension.Type
