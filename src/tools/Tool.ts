import type { NonEmptyReadonlyArray } from "effect/Array"
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

interface Need {
  readonly reason: string
  /** Absolute paths or URLs: all that the call changes, or reads outside the working directory. */
  readonly affectedResources: ReadonlyArray<string>
}

/** What a call that only reads needs approved. */
export interface ReadNeed extends Need {
  readonly categories: readonly ["fs_read_outside"]
  readonly preview?: string
}

/** What a call that writes, runs or sends something needs approved. */
export interface ActNeed extends Need {
  /** One for each thing that the call does: a move writes at both ends. The strictest of them asks. */
  readonly categories: NonEmptyReadonlyArray<ApprovalCategory>
  /** What will happen: a diff, a command line, method and URL; whole, the gate cuts it. */
  readonly preview: string
}

/** What a call needs approved before it runs (contract 7). `readNeed` and `writeNeed` make it for paths. */
export type ApprovalNeed = ReadNeed | ActNeed

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
  /** For the model, which pays for it with every prompt. */
  readonly description: string
  /**
   * The model gets their names, types and `description`s. What only readers of the documents want to know is the
   * `documentation` of a key (`annotateKey`): meaning, unit, default and limit.
   */
  readonly parameters: Schema.Codec<Args, any>
  /** Calls of reading tools are planned and run side by side; the others one after another, in the order given. */
  readonly reads: boolean
  /** Overrides `agent.toolTimeoutMs`, in milliseconds, for a tool with a limit of its own; `null`: it keeps its own. */
  readonly timeoutMs?: number | null
  readonly plan: (args: Args, context: ToolContext) => Effect.Effect<Plan, Refused>
}

/** A tool; the type of its arguments comes from its parameters. */
export const make = <Args>(tool: Tool<Args>): Tool<Args> => tool
