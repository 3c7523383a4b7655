import { inspect } from "./Blocked.ts"
import { parse } from "./Parser.ts"
import { planReads } from "./reads/ReadOnly.ts"
import type { PlannedCommand } from "./reads/ReadPlan.ts"
import type { ShellPlace } from "./ProtectedPaths.ts"

/** What happens to a command line before it runs (contract 7). */
export type ShellVerdict =
  /** It is on the read-only list. What the caller makes of the plan runs without a question, if the disk allows it. */
  | { readonly _tag: "ReadOnly"; readonly plan: ReadonlyArray<PlannedCommand> }
  /** Asks. The caller resolves links in `erases`, and blocks if a path leads to a protected directory. */
  | { readonly _tag: "Asks"; readonly erases: ReadonlyArray<string> }
  /** It is not run at any level. */
  | { readonly _tag: "Blocked"; readonly why: string }

/** In characters. Linux starts no program with a longer argument; elsewhere one could start, so it is blocked. */
const maxLength = 131_072

/** Judges a command line by its text alone: nothing is run, and no file is looked at. */
export const judge = (command: string, place: ShellPlace, platform: NodeJS.Platform): ShellVerdict => {
  if (command.length > maxLength) {
    return { _tag: "Blocked", why: `it is longer than ${maxLength} characters; write it to a file and run that` }
  }
  // The list is about `sh`: `cmd` gives the same characters other meanings. A read-only command may name any path.
  const isSh = platform !== "win32"
  const plan = isSh ? planReads(parse(command)) : undefined
  if (plan !== undefined) return { _tag: "ReadOnly", plan }
  const { erases, why } = inspect(isSh ? command : command.replaceAll("\\", "/"), place)
  return why === undefined ? { _tag: "Asks", erases } : { _tag: "Blocked", why }
}
