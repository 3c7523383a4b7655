import * as Schema from "effect/Schema"
import { Grant } from "./Grant.ts"
import { field, optionalField } from "./Field.ts"

export const ResultStatus = Schema.Literals(["ok", "error"]).annotate({
  identifier: "ResultStatus",
  description: "How a tool call ended: `error` also for a call that was denied, refused or cancelled."
})
export type ResultStatus = typeof ResultStatus.Type

export const TurnReason = Schema.Literals(["reply", "finish", "max_steps", "cancelled", "failed"]).annotate({
  identifier: "TurnReason",
  description:
    "Why a turn ended: the model replied, it called the tool `finish`, the step budget was used up, the turn was cancelled, or a step failed."
})
export type TurnReason = typeof TurnReason.Type

export const StepCategory = Schema.Literals(["transport", "grammar", "model", "tool"]).annotate({
  identifier: "StepCategory",
  description:
    "What failed in a step: the model server or the way to it, the form of a request or of tool calls, the model's answer, or a defect in a tool or in the sidecar."
})
export type StepCategory = typeof StepCategory.Type

export const SessionStatus = Schema.Literals([
  "pending",
  "running",
  "awaiting_approval",
  "completed",
  "failed",
  "cancelled",
  "stalled"
]).annotate({
  identifier: "SessionStatus",
  description:
    "What a session does, or how its last turn ended: idle (`pending`), in a turn (`running`), waiting for the host's answer, finished by the tool `finish`, failed, cancelled, or out of steps (`stalled`). Every status accepts the next message."
})
export type SessionStatus = typeof SessionStatus.Type

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
]).annotate({
  identifier: "ApprovalCategory",
  description:
    "Why a tool call needs approval: a write in the working directory, a write in the home directory, an HTTP request, a shell command, a skill's script, a tool of an MCP server, a write to the sidecar's own configuration or skills, a read outside the working directory, or anything else."
})
export type ApprovalCategory = typeof ApprovalCategory.Type

const epochMs = "in milliseconds since 1970-01-01 UTC"

const ofRecord = {
  at: field(Schema.Int, `When it was committed, ${epochMs}.`),
  turnId: field(Schema.String, "The turn that it belongs to.")
}
const ofCall = {
  ...ofRecord,
  callId: field(Schema.String, "The call's id: `c-` and a UUID."),
  tool: field(Schema.String, "The tool's name, such as `fs.read`.")
}
const reasoning = optionalField(Schema.String, "The model's reasoning before it; absent if there was none.")

export const UserRecord = Schema.Struct({
  kind: field(Schema.Literal("user"), "Marks a user's message."),
  ...ofRecord,
  text: field(Schema.String, "The message."),
  steered: optionalField(Schema.Boolean, "True if it came as a `steer_message` during the turn; else absent.")
}).annotate({ identifier: "UserRecord", description: "A message of the user, or a steer." })
export type UserRecord = typeof UserRecord.Type

export const ToolCallRecord = Schema.Struct({
  kind: field(Schema.Literal("assistant_tool_call"), "Marks a tool call."),
  ...ofCall,
  args: field(
    Schema.Unknown,
    "The arguments: an object, or the raw text if the model's arguments are not a JSON object."
  ),
  reasoning
}).annotate({ identifier: "ToolCallRecord", description: "A tool call that the model asked for." })
export type ToolCallRecord = typeof ToolCallRecord.Type

export const ToolResultRecord = Schema.Struct({
  kind: field(Schema.Literal("tool_result"), "Marks the result of a tool call."),
  ...ofCall,
  status: field(ResultStatus, "How the call ended."),
  summary: field(Schema.String, "The result as the model reads it."),
  truncated: field(Schema.Boolean, "True if parts of the result are left out of `summary`."),
  approval: optionalField(
    Schema.Struct({
      verdict: field(
        Schema.Literals(["approved", "denied", "granted"]),
        "The host's answer; `granted` if it was not asked, since a grant covers the call."
      ),
      category: field(ApprovalCategory, "Why the gate asked."),
      at: field(Schema.Int, `When the host answered, or the grant was found, ${epochMs}.`),
      grant: optionalField(Grant, "The grant that covers the call. What is stored is never read back as a permission.")
    }),
    "The host's answer to the call's approval request, or the grant in its place; absent if the gate had nothing to ask."
  )
}).annotate({ identifier: "ToolResultRecord", description: "The result of a tool call." })
export type ToolResultRecord = typeof ToolResultRecord.Type

export const ReplyRecord = Schema.Struct({
  kind: field(Schema.Literal("assistant_reply"), "Marks a text of the model."),
  ...ofRecord,
  text: field(Schema.String, "The text."),
  reasoning,
  attachments: optionalField(Schema.Array(Schema.String), "Absolute paths of the files handed over with it."),
  progressNote: optionalField(Schema.Boolean, "True if the turn went on after it; else absent."),
  interrupted: optionalField(Schema.Boolean, "True if a cancel or a failure cut the text off; else absent.")
}).annotate({ identifier: "ReplyRecord", description: "A text of the model." })
export type ReplyRecord = typeof ReplyRecord.Type

export const SessionRecord = Schema.Union([UserRecord, ToolCallRecord, ToolResultRecord, ReplyRecord]).annotate({
  identifier: "SessionRecord",
  description: "One record of a session's history, tagged by `kind`."
})
export type SessionRecord = typeof SessionRecord.Type

export const SessionState = Schema.Struct({
  id: field(Schema.String, "The session's id: `s-` and a UUID."),
  workingDir: field(Schema.String, "Absolute path of the working directory."),
  status: field(SessionStatus, "What the session does, or how its last turn ended."),
  turnCount: field(Schema.Int, "Number of turns that were started."),
  stepCount: field(Schema.Int, "Number of steps that were started, over all turns."),
  createdAt: field(Schema.Int, `When the session was created, ${epochMs}.`),
  updatedAt: field(Schema.Int, `When the session last changed, ${epochMs}.`),
  lastError: field(Schema.NullOr(Schema.String), "Why the last turn failed or was interrupted; null if it did not."),
  title: optionalField(Schema.String, "Its title; absent without one, and for a host that was not granted `sessions`."),
  metadata: field(
    Schema.Record(Schema.String, Schema.Unknown),
    "The `metadata` of `start_session` or `update_session`, as the host gave it."
  ),
  turns: field(
    Schema.Array(SessionRecord),
    "The history, oldest record first, including what the running turn has committed."
  ),
  latestResult: field(
    Schema.NullOr(
      Schema.Struct({
        tool: field(Schema.String, "The tool's name."),
        status: field(ResultStatus, "How the call ended."),
        summary: field(Schema.String, "The result as the model read it.")
      })
    ),
    "The result of the latest tool call; null before the first."
  ),
  loadedSkills: field(
    Schema.Array(
      Schema.Struct({
        name: field(Schema.String, "The skill's name."),
        version: field(Schema.String, "The version that the model read."),
        loadedAt: field(Schema.Int, `When the model last read it, ${epochMs}.`)
      })
    ),
    "The skills that the model has read with `skill.view`."
  ),
  contextUsage: field(
    Schema.NullOr(
      Schema.Struct({
        usedTokens: field(Schema.Int, "Tokens of the latest prompt and its completion."),
        windowTokens: field(Schema.Int, "Size of the model's context window, in tokens.")
      })
    ),
    "How full the model's context window is; null until both numbers are known."
  )
}).annotate({ identifier: "SessionState", description: "A session and its whole history." })
export type SessionState = typeof SessionState.Type
