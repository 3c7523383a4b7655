import { cutText, tailText } from "../domain/CutText.ts"
import { inspect } from "./Blocked.ts"
import { parse } from "./Parser.ts"
import { type ShellPlace, unknown } from "./ProtectedPaths.ts"

/** How many programs are named, the first and the last ones, and how long a name may be, in characters. */
const firstNamed = 16
const lastNamed = 8
const maxName = 60

/**
 * The programs that a command line runs, in order, in words for a person: `sudo, curl, sh`. They are those that `inspect` follows,
 * in nested command lines and behind prefixes too, and the shell's own commands among them. `…` stands for a name, or a part
 * of one, that is known only when it runs.
 */
export const programsIn = (command: string, place: ShellPlace, platform: NodeJS.Platform): string => {
  const source = platform === "win32" ? command.replaceAll("\\", "/") : command
  const names = inspect(source, place).programs.map(shortened)
  const left = names.length - firstNamed - lastNamed
  const named =
    left <= 0 ? names : [...names.slice(0, firstNamed), `${left} more`, ...names.slice(names.length - lastNamed)]
  const isBroken = parse(source).features.has("broken")
  return `${names.length === 0 ? "a command" : named.join(", ")}${isBroken ? " (not all of it can be parsed)" : ""}`
}

const shortened = (name: string): string => {
  const known = name.replaceAll(unknown, "…")
  const text = known.length <= maxName ? known : `${cutText(known, maxName / 2)}…${tailText(known, maxName / 2)}`
  // Nothing in a name reads like more of the list, or like what stands behind it.
  return /[\s,()"]/.test(text) ? JSON.stringify(text) : text
}
