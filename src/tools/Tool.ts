import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { ApprovalCategory } from "../protocol/SessionState.ts"
import type { Refused } from "../files/Refused.ts"

/** Where a call runs. */
export interface ToolContext {
  /** Absolute. Relative paths are resolved against it. */
  readonly workingDir: string
}

/** What a tool gives back: `text` for model and host, and the files that the closing reply hands over. */
export interface ToolOutput {
  readonly text: string
  /** The tool already left something out of `text`. */
  readonly truncated?: boolean
  /** It was done, and did not go well: a command that ended with another code than 0. */
  readonly isError?: boolean
  /** Absolute paths. */
  readonly attachments?: ReadonlyArray<string>
  /** The model has read this skill with it. */
  readonly loadedSkill?: { readonly name: string; readonly version: string }
}

/** What the gate is asked before a plan runs (contract 7). */
export interface ApprovalNeed {
  readonly category: ApprovalCategory
  readonly reason: string
  /** What will happen: a diff, a command line, method and URL; whole, the gate cuts it. */
  readonly preview?: string
  /** Absolute paths or URLs. */
  readonly affectedResources: ReadonlyArray<string>
}

/**
 * A call that has been looked at and not yet done: what it needs asked, and the effect that does it. What the plan saw
 * is what `run` does: if the world has changed in between so that `need.preview` is no longer true, `run` fails.
 */
export interface Plan {
  /** Absent: nothing to ask, at any level. */
  readonly need?: ApprovalNeed
  readonly run: Effect.Effect<ToolOutput, Refused>
}

/** One tool, its arguments decoded by `parameters`. */
export interface Tool<in out Args = any> {
  /** Dotted, as the host sees it. */
  readonly name: string
  readonly description: string
  readonly parameters: Schema.Codec<Args, any>
  /** Calls of reading tools are planned and run side by side; the others one after another, in the order given. */
  readonly reads: boolean
  /** Overrides `agent.toolTimeoutMs`, in milliseconds, for a tool with a limit of its own; `null`: it keeps its own. */
  readonly timeoutMs?: number | null
  readonly plan: (args: Args, context: ToolContext) => Effect.Effect<Plan, Refused>
}

/** A tool; the type of its arguments comes from its parameters. */
export const make = <Args>(tool: Tool<Args>): Tool<Args> => tool
