import { isObject } from "effect/Predicate"
import { refuse } from "../../files/Refused.ts"

/** One batch of lines may take so long, in milliseconds; nothing else runs meanwhile. */
const limitMs = 500

/**
 * Tells for each line whether it matches. A regular expression that backtracks without end would hold the whole
 * process, so it runs where it can be cut off.
 */
export const lineMatcher = (
  pattern: string,
  ignoreCase: boolean
): ((lines: ReadonlyArray<string>) => ReadonlyArray<boolean>) => {
  const inline = pattern.startsWith("(?i)")
  const regex = compile(inline ? pattern.slice("(?i)".length) : pattern, ignoreCase || inline ? "i" : "")
  const vm = process.getBuiltinModule("node:vm")
  const world = vm.createContext({ regex, lines: [] as ReadonlyArray<string> })
  const script = new vm.Script("lines.map((line) => regex.test(line))")
  return (lines) => {
    world["lines"] = lines
    try {
      return script.runInContext(world, { timeout: limitMs }) as ReadonlyArray<boolean>
    } catch (error) {
      if (isObject(error) && error["code"] === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
        throw refuse("the pattern takes too long on these files; use a simpler one")
      }
      // Some expressions turn out to be too large only when they are first used.
      throw refuse(`the pattern cannot be used: ${isObject(error) ? String(error["message"]) : "unknown reason"}`)
    }
  }
}

const compile = (pattern: string, flags: string): RegExp => {
  try {
    return new RegExp(pattern, flags)
  } catch (error) {
    throw refuse(`the pattern is no regular expression: ${error instanceof Error ? error.message : String(error)}`)
  }
}
