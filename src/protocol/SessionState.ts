import * as Schema from "effect/Schema"

/** What a tool call ended with. */
export const ResultStatus = Schema.Literals(["ok", "error"])
export type ResultStatus = typeof ResultStatus.Type

/** Why a turn ended (contract 6). */
export const TurnReason = Schema.Literals(["reply", "finish", "max_steps", "cancelled", "failed"])
export type TurnReason = typeof TurnReason.Type

/** What went wrong in a failed step (contract 6). */
export const StepCategory = Schema.Literals(["transport", "grammar", "model", "tool"])
export type StepCategory = typeof StepCategory.Type

/** What a session is doing, or how its last turn left it (runtime, SessionState). */
export const SessionStatus = Schema.Literals([
  "pending",
  "running",
  "awaiting_approval",
  "completed",
  "failed",
  "cancelled",
  "stalled"
])
export type SessionStatus = typeof SessionStatus.Type

/** What the gate may ask about, and why (contract 7). */
export const ApprovalCategory = Schema.Literals([
  "fs_write_workspace",
  "fs_write_home",
  "http",
  "shell",
  "script",
  "mcp",
  "trust_config",
  "fs_read_outside",
  "other"
])
export type ApprovalCategory = typeof ApprovalCategory.Type

const common = {
  /** Epoch milliseconds. */
  at: Schema.Int,
  turnId: Schema.String
}

/** What the user said, or steered with. */
export const UserRecord = Schema.Struct({
  kind: Schema.Literal("user"),
  ...common,
  text: Schema.String,
  steered: Schema.optionalKey(Schema.Boolean)
})

/** One tool call that the model asked for; `args` is the raw text where it was no JSON object. */
export const ToolCallRecord = Schema.Struct({
  kind: Schema.Literal("assistant_tool_call"),
  ...common,
  callId: Schema.String,
  tool: Schema.String,
  args: Schema.Unknown,
  reasoning: Schema.optionalKey(Schema.String)
})

/** What a tool call came back with. */
export const ToolResultRecord = Schema.Struct({
  kind: Schema.Literal("tool_result"),
  ...common,
  callId: Schema.String,
  tool: Schema.String,
  status: ResultStatus,
  summary: Schema.String,
  truncated: Schema.Boolean,
  approval: Schema.optionalKey(
    Schema.Struct({ verdict: Schema.Literals(["approved", "denied"]), category: ApprovalCategory, at: Schema.Int })
  )
})

/** What the model said; `interrupted` where it was cut off by a cancel or a failure. */
export const ReplyRecord = Schema.Struct({
  kind: Schema.Literal("assistant_reply"),
  ...common,
  text: Schema.String,
  reasoning: Schema.optionalKey(Schema.String),
  attachments: Schema.optionalKey(Schema.Array(Schema.String)),
  progressNote: Schema.optionalKey(Schema.Boolean),
  interrupted: Schema.optionalKey(Schema.Boolean)
})

/** One committed thing of a session's history. */
export const Record = Schema.Union([UserRecord, ToolCallRecord, ToolResultRecord, ReplyRecord])
export type Record = typeof Record.Type

/** The answer to `get_session` (runtime, SessionState). */
export const SessionState = Schema.Struct({
  id: Schema.String,
  workingDir: Schema.String,
  status: SessionStatus,
  turnCount: Schema.Int,
  stepCount: Schema.Int,
  createdAt: Schema.Int,
  updatedAt: Schema.Int,
  lastError: Schema.NullOr(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.Unknown),
  turns: Schema.Array(Record),
  latestResult: Schema.NullOr(Schema.Struct({ tool: Schema.String, status: ResultStatus, summary: Schema.String })),
  loadedSkills: Schema.Array(Schema.Struct({ name: Schema.String, version: Schema.String, loadedAt: Schema.Int })),
  contextUsage: Schema.NullOr(Schema.Struct({ usedTokens: Schema.Int, windowTokens: Schema.Int }))
})
export type SessionState = typeof SessionState.Type
