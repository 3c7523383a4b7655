import type { CallId } from "../protocol/Ids.ts"
import type { ApprovalCategory, ResultStatus } from "../protocol/SessionState.ts"

/** What a call carries: a JSON object, or the text that should have been one. */
export type ToolArguments =
  | { readonly _tag: "Parsed"; readonly value: { readonly [key: string]: unknown } }
  | { readonly _tag: "Unusable"; readonly raw: string; readonly why: string }

/** One call that the model asked for; `tool` is the dotted name that the host sees. */
export interface ToolCall {
  readonly callId: CallId
  readonly tool: string
  readonly args: ToolArguments
}

/** How the gate was answered, where it asked. */
export interface ApprovalVerdict {
  readonly verdict: "approved" | "denied"
  readonly category: ApprovalCategory
  /** Epoch milliseconds. */
  readonly at: number
}

/** What a call ended with; `summary` is what both the host and the model read. */
export interface ToolResult {
  readonly status: ResultStatus
  readonly summary: string
  readonly truncated: boolean
  readonly attachments?: ReadonlyArray<string>
  /** The model has read this skill with it. */
  readonly loadedSkill?: { readonly name: string; readonly version: string }
  readonly approval?: ApprovalVerdict
}

/** What the model is told about one tool; `parameters` is a JSON Schema of an object. */
export interface ToolSpec {
  /** The dotted name; on the model's wire the dot is an underscore. */
  readonly name: string
  readonly description: string
  readonly parameters: { readonly [key: string]: unknown }
}
