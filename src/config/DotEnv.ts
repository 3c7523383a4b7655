import * as Result from "effect/Result"

export interface Assignment {
  readonly value: string
  /** From 1. */
  readonly line: number
}

/**
 * Parses `KEY=VALUE` lines (runtime, Configuration). Blank lines and `#` comments are skipped, one pair of quotes is
 * stripped, and of several lines with one key the last one counts. Fails with the number of the first bad line.
 */
export const parse = (text: string): Result.Result<ReadonlyMap<string, Assignment>, number> => {
  const assignments = new Map<string, Assignment>()
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, key, rest] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/.exec(line) ?? []
    if (key === undefined || rest === undefined) return Result.fail(index + 1)
    assignments.set(key, { value: unquoted(rest.trim()), line: index + 1 })
  }
  return Result.succeed(assignments)
}

const unquoted = (text: string): string => {
  const [, , quoted] = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(text) ?? []
  return quoted ?? text.replace(/(^|\s+)#.*$/, "")
}
