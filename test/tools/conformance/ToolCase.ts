import type { NonEmptyReadonlyArray } from "effect/Array"
import type * as Layer from "effect/Layer"
import type { Config } from "../../../src/config/Config.ts"
import type { Overrides } from "../../../src/config/Settings.ts"
import type { ApprovalCategory } from "../../../src/protocol/SessionState.ts"
import type { SkillRegistry } from "../../../src/skills/SkillRegistry.ts"
import type { Toolbox } from "../../../src/tools/Toolbox.ts"
import type { Workspace } from "../../../src/tools/Workspace.ts"
import type { PathUse } from "./WorldChanges.ts"

/** A call of a tool that succeeds in the world of `ToolWorld`, and what it does there. */
export interface ToolCase {
  /** Paths are `old.txt`, `new.txt` or `dir`, which each place of the world has, `new.txt` not yet. */
  readonly args: { readonly [argument: string]: unknown }
  /** What is done at the path, or at each path of the array, in these arguments. */
  readonly paths?: { readonly [argument: string]: PathUse }
  /** Categories that the call has wherever its paths lie: `["shell"]`. */
  readonly acts?: ReadonlyArray<ApprovalCategory>
  /** Other files that the question is about, from the working directory: a changed one makes the call fail. */
  readonly watches?: ReadonlyArray<string>
}

/** One breach of a rule that every tool keeps. */
export interface ToolViolation {
  readonly tool: string
  readonly rule: ToolRule
  readonly detail: string
  /**
   * The calls that show it: which argument lies where or what happens to it, or the arguments; with a path if it is
   * about one.
   */
  readonly where: ReadonlyArray<string>
}

/**
 * - `case`: the call of each case succeeds;
 * - `asks`: it asks at the levels that contract 7 names, wherever its paths lie;
 * - `shows`: a question has a reason, a preview unless the call only reads, and names all that it affects;
 * - `plans`: looking at a call changes nothing;
 * - `keeps`: a call changes what its question named and nothing else, and replaces files instead of writing into them;
 * - `changed`: a call fails and changes nothing if the world has changed since the question;
 * - `links`: a call that asks nobody shows nothing from outside;
 * - `unasked`: what a call on a path outside tells the model before anybody is asked does not depend on what is there;
 * - `secrets`: neither question nor result shows the API key;
 * - `reads`: a tool that is said to read does nothing else;
 * - `absurd`: whatever the arguments are, the call is refused or ends in a result, of less than
 *   100,000 characters beyond what the arguments have.
 */
export type ToolRule =
  | "case"
  | "asks"
  | "shows"
  | "plans"
  | "keeps"
  | "changed"
  | "links"
  | "unasked"
  | "secrets"
  | "reads"
  | "absurd"

export interface ToolConformanceOptions {
  /** By tool; a tool without a case is not checked. */
  readonly cases: { readonly [tool: string]: NonEmptyReadonlyArray<ToolCase> }
  /** The toolbox to check; that of the bin unless given. */
  readonly toolbox?: Layer.Layer<Toolbox, never, Config | Workspace | SkillRegistry>
  /** Settings that the cases need. */
  readonly config?: Overrides
  /** Further absurd arguments for each tool, made from the names of its arguments. */
  readonly absurd?: (names: ReadonlyArray<string>) => ReadonlyArray<{ readonly [argument: string]: unknown }>
}
