import type { ApprovalCategory } from "../protocol/SessionState.ts"

/** How much the user trusts the agent: 1 asks before every change, 5 never asks. */
export type ApprovalLevel = 1 | 2 | 3 | 4 | 5

/** The level from which on a category does not ask (contract 7). */
export const silentFrom: { readonly [C in ApprovalCategory]: ApprovalLevel } = {
  fs_write_workspace: 2,
  fs_write_home: 3,
  http: 3,
  shell: 4,
  script: 4,
  mcp: 4,
  trust_config: 5,
  fs_read_outside: 5,
  other: 5
}

/** True if a call of this category must ask. */
export const asks = (category: ApprovalCategory, level: ApprovalLevel): boolean => level < silentFrom[category]
