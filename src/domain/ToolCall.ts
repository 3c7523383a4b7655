import type { Grant } from "../protocol/Grant.ts"
import type { CallId } from "../protocol/Ids.ts"
import type { ApprovalCategory, ResultStatus } from "../protocol/SessionState.ts"

/** The arguments of a call: a JSON object, or the text that should have been one and what is wrong with it. */
export type ToolArguments =
  | { readonly _tag: "Parsed"; readonly value: { readonly [key: string]: unknown } }
  | { readonly _tag: "Unusable"; readonly raw: string; readonly why: string }

/** One call that the model asked for; `tool` is the dotted name that the host sees. */
export interface ToolCall {
  readonly callId: CallId
  readonly tool: string
  readonly args: ToolArguments
}

/** The answer to an approval request, or the grant that made it needless. */
export interface ApprovalVerdict {
  readonly verdict: "approved" | "denied" | "granted"
  readonly category: ApprovalCategory
  /** Epoch milliseconds. */
  readonly at: number
  /** Present where the verdict is `granted`. */
  readonly grant?: Grant
}

/** The result of a call. Both the host and the model read `summary`. */
export interface ToolResult {
  readonly status: ResultStatus
  readonly summary: string
  readonly truncated: boolean
  readonly attachments?: ReadonlyArray<string>
  /** The skill that the model has read by this call. */
  readonly loadedSkill?: { readonly name: string; readonly version: string }
  readonly approval?: ApprovalVerdict
}

/** The description of a tool for the model; `parameters` is a JSON Schema of an object. */
export interface ToolSpec {
  /** The dotted name; on the model's wire the dot is an underscore. */
  readonly name: string
  readonly description: string
  readonly parameters: { readonly [key: string]: unknown }
}
