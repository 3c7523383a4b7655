import { inspect } from "./Blocked.ts"
import { parse } from "./Parser.ts"
import { onlyReads } from "./ReadOnly.ts"
import type { ShellPlace } from "./ProtectedPaths.ts"

/** What is to be done about a command line before it runs (contract 7). */
export type ShellVerdict =
  /** It is on the read-only list: nobody is asked. */
  | { readonly _tag: "ReadOnly" }
  /** `erases` are paths, by their names: where one of them leads to what must not be erased, it is not run either. */
  | { readonly _tag: "Asks"; readonly erases: ReadonlyArray<string> }
  /** It is never run, at no level. */
  | { readonly _tag: "Blocked"; readonly why: string }

/** In characters. Linux starts nothing with a longer argument; elsewhere it would run without having been looked at. */
const maxLength = 131_072

export const judge = (command: string, place: ShellPlace, platform: NodeJS.Platform): ShellVerdict => {
  if (command.length > maxLength) {
    return { _tag: "Blocked", why: `it is longer than ${maxLength} characters; write it to a file and run that` }
  }
  // The list is about `sh`: to `cmd` the same characters mean other things. What only reads may speak of anything.
  const isSh = platform !== "win32"
  if (isSh && onlyReads(parse(command))) return { _tag: "ReadOnly" }
  const { erases, why } = inspect(isSh ? command : command.replaceAll("\\", "/"), place)
  return why === undefined ? { _tag: "Asks", erases } : { _tag: "Blocked", why }
}
