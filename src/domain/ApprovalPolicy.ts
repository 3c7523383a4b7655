import type { NonEmptyReadonlyArray } from "effect/Array"
import type { ApprovalCategory } from "../protocol/SessionState.ts"
import type { GrantSubject } from "./GrantSubject.ts"

/** How much the user trusts the agent: 1 asks before every change, 5 never asks. */
export type ApprovalLevel = 1 | 2 | 3 | 4 | 5

/** What a person is asked before a call runs (contract 7). */
export interface ApprovalRequest {
  /** The strictest category of the call: the gate asks below the level from which this one is silent. */
  readonly category: ApprovalCategory
  readonly reason: string
  /** What will happen, whole. */
  readonly preview?: string
  /** Absolute paths or URLs. */
  readonly affectedResources: ReadonlyArray<string>
  /** What grants are compared with; absent: no grant covers the call. */
  readonly subject?: GrantSubject
}

/**
 * The level from which each category is silent (contract 7), from the mildest category to the strictest: the order
 * decides which one stands for a call that has several. Within a level, what reaches further is stricter, and what
 * changes the rules for the agent itself is the strictest of all.
 */
export const silentFrom: { readonly [C in ApprovalCategory]: ApprovalLevel } = {
  fs_write_workspace: 2,
  fs_write_home: 3,
  http: 3,
  mcp: 4,
  script: 4,
  shell: 4,
  fs_read_outside: 5,
  other: 5,
  trust_config: 5
}

const mildestFirst = Object.keys(silentFrom)

/** The strictest of some categories. It asks at every level at which one of them asks. */
export const strictest = (categories: NonEmptyReadonlyArray<ApprovalCategory>): ApprovalCategory =>
  categories.reduce((a, b) => (mildestFirst.indexOf(b) > mildestFirst.indexOf(a) ? b : a))

/** True if a call of this category must ask. */
export const asks = (category: ApprovalCategory, level: ApprovalLevel): boolean => level < silentFrom[category]
