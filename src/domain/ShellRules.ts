import { blockedBecause } from "./ShellBlocked.ts"
import type { ShellPlace } from "./ShellDestroyers.ts"
import { parse } from "./ShellParser.ts"
import { onlyReads } from "./ShellReadOnly.ts"

/** What is to be done about a command line before it runs (contract 7). */
export type ShellVerdict =
  /** It is on the read-only list: nobody is asked. */
  | { readonly _tag: "ReadOnly" }
  | { readonly _tag: "Asks" }
  /** It is never run, at no level. */
  | { readonly _tag: "Blocked"; readonly why: string }

/** Longer command lines, in characters, are asked about unread. */
const maxParsed = 100_000

export const judge = (command: string, place: ShellPlace, platform: NodeJS.Platform): ShellVerdict => {
  if (command.length > maxParsed) return { _tag: "Asks" }
  // The list is about `sh`: to `cmd` the same characters mean other things. What only reads may speak of anything.
  const isSh = platform !== "win32"
  if (isSh && onlyReads(parse(command))) return { _tag: "ReadOnly" }
  const why = blockedBecause(isSh ? command : command.replaceAll("\\", "/"), place)
  return why === undefined ? { _tag: "Asks" } : { _tag: "Blocked", why }
}
