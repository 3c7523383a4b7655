import * as Result from "effect/Result"

export interface Assignment {
  readonly value: string
  /** Counted from 1. */
  readonly line: number
}

/**
 * Reads `KEY=VALUE` lines (runtime, Configuration): blank lines and `#` comments are skipped, also after a value; one pair
 * of quotes is stripped; the last of several lines for one key counts. Fails with the number of the first line that is
 * none of these.
 */
export const parse = (text: string): Result.Result<ReadonlyMap<string, Assignment>, number> => {
  const found = new Map<string, Assignment>()
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, key, rest] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/.exec(line) ?? []
    if (key === undefined || rest === undefined) return Result.fail(index + 1)
    found.set(key, { value: unquoted(rest.trim()), line: index + 1 })
  }
  return Result.succeed(found)
}

const unquoted = (text: string): string => {
  const [, , quoted] = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(text) ?? []
  return quoted ?? text.replace(/(^|\s+)#.*$/, "")
}
