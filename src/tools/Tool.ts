import type { NonEmptyReadonlyArray } from "effect/Array"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { GrantSubject } from "../domain/GrantSubject.ts"
import type { TurnEvent } from "../protocol/Event.ts"
import type { CallId } from "../protocol/Ids.ts"
import type { ApprovalCategory } from "../protocol/SessionState.ts"
import type { BackgroundGroups } from "../process/BackgroundGroups.ts"
import type { ArgumentSchema } from "./ArgumentSchema.ts"
import type { Refused } from "../files/Refused.ts"

/** Where a call runs. */
export interface CallPlace {
  /** Absolute path; relative paths of arguments are resolved against it. */
  readonly workingDir: string
}

/** What a call tells the host beside its result. */
export interface CallFeed {
  readonly callId: CallId
  /** Sends an event of the call's turn; suspends while the output is full. */
  emit(event: TurnEvent): Effect.Effect<void>
}

/** What a call has of its session. */
export interface ToolContext extends CallPlace {
  readonly call: CallFeed
  /** What keeps the processes that the call starts. */
  readonly background: BackgroundGroups
}

/** The result of a tool: `text` for model and host, and the files that the closing reply hands over. */
export interface ToolOutput {
  readonly text: string
  /** True if the tool has left something out of `text`. */
  readonly truncated?: boolean
  /** True if it ran and failed, as a command that exits with another code than 0. */
  readonly isError?: boolean
  /** Absolute paths. */
  readonly attachments?: ReadonlyArray<string>
  /** The skill whose text this is. */
  readonly loadedSkill?: { readonly name: string; readonly version: string }
}

interface Need {
  readonly reason: string
  /** Absolute paths or URLs: all that the call changes, or reads outside the working directory. */
  readonly affectedResources: ReadonlyArray<string>
  /**
   * What a grant is compared with (contract 9, `grants`); of a read and a write, all `affectedResources` are, which must be real
   * paths. Absent: no grant covers the call.
   */
  readonly subject?: NeedSubject
}

/** The subject of a need; that of paths takes them from the need. */
export type NeedSubject = OtherSubject | { readonly kind: "read" | "write" }

type OtherSubject = Exclude<GrantSubject, { readonly paths: ReadonlyArray<string> }>

/** The approval that a call needs which only reads. */
export interface ReadNeed extends Need {
  readonly categories: readonly ["fs_read_outside"]
  readonly preview?: string
}

/** The approval that a call needs which writes, runs or sends something. */
export interface ActNeed extends Need {
  /** One for each thing that the call does: a move writes at both ends. The strictest of them asks. */
  readonly categories: NonEmptyReadonlyArray<ApprovalCategory>
  /** What will happen: a diff, a command line, method and URL. The gate cuts it. */
  readonly preview: string
}

/** The approval that a call needs before it runs (contract 7). `readNeed` and `writeNeed` make it for paths. */
export type ApprovalNeed = ReadNeed | ActNeed

/**
 * A planned call: the approval that it needs, and the effect that does the work. `run` fails if the world has changed since
 * the plan so that `need.preview` is no longer true.
 */
export interface Plan {
  /** Absent if the call never asks. */
  readonly need?: ApprovalNeed
  readonly run: Effect.Effect<ToolOutput, Refused>
}

/** One tool. Its arguments are decoded by `parameters`, or checked where they are a JSON Schema. */
export interface Tool<in out Args = any> {
  /** With a dot, as the host sees it. */
  readonly name: string
  /** For the model, and short: it is part of every prompt. */
  readonly description: string
  /**
   * The model gets their names, types and `description`s. What only readers of the documents want to know is the
   * `documentation` of a key (`annotateKey`): meaning, unit, default and limit.
   */
  readonly parameters: Schema.Codec<Args, any> | ArgumentSchema
  /** Calls of reading tools are planned and run side by side; the others one after another, in the order given. */
  readonly reads: boolean
  /** True if the same call may be made any number of times in a turn, with whatever result (runtime, Tools). */
  readonly mayRepeat?: boolean
  /** Overrides `agent.toolTimeoutMs`, in milliseconds, for a tool with a limit of its own; `null`: it keeps its own. */
  readonly timeoutMs?: number | null
  readonly plan: (args: Args, context: ToolContext) => Effect.Effect<Plan, Refused>
}

/** Makes a tool; the type of its arguments comes from its parameters. */
export const make = <Args>(tool: Tool<Args>): Tool<Args> => tool
