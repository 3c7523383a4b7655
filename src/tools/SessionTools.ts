import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApprovalRequest } from "../domain/ApprovalPolicy.ts"
import type { ToolCall, ToolResult, ToolSpec } from "../domain/ToolCall.ts"
import type { CallFeed } from "./Tool.ts"

/** A planned call. */
export type Planned =
  /** The call cannot be done; `why` becomes its result. */
  | { readonly _tag: "Refused"; readonly why: string }
  /** The call runs once `need`, if present, is approved. A failure of the tool becomes a result with status `error`. */
  | { readonly _tag: "Ready"; readonly need?: ApprovalRequest; readonly run: Effect.Effect<ToolResult> }

/** The tools of one session, by name. */
export class SessionTools extends Context.Service<
  SessionTools,
  {
    /** The descriptions of the tools for the model, in an order that never changes. */
    readonly specs: ReadonlyArray<ToolSpec>
    /**
     * A call as the model means it: of the offered tool that its name spells, with arguments of the types that the tool's
     * schema wants. What cannot be understood stays as it is.
     */
    understand(call: ToolCall): ToolCall
    /** True if calls of a tool may be planned and run side by side; true for unknown tools too, which do nothing. */
    reads(tool: string): boolean
    /** True if the same call may be made any number of times in a turn. */
    mayRepeat(tool: string): boolean
    /** Finds the tool, decodes the arguments and plans the call. Never fails; a defect of a tool passes through. */
    plan(call: ToolCall, feed: Pick<CallFeed, "emit">): Effect.Effect<Planned>
    /** Ends the background processes of the session's commands; the end of the session does so too. */
    readonly endBackground: Effect.Effect<void>
  }
>()("atomic-agent-sidecar/tools/SessionTools") {}
