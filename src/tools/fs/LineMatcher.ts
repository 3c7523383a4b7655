import { isObject } from "effect/Predicate"
import { refuse } from "../../files/Refused.ts"

/** Time limit of one batch of lines, in milliseconds; nothing else runs meanwhile. */
const limitMs = 500

/**
 * Matches lines against a regular expression, which runs in a script with a time limit: one that backtracks without end
 * would block the process.
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
      // Some expressions are found too large only when they first run.
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
