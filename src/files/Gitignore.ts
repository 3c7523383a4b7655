import * as Glob from "effect/Glob"

/** The rules of one `.gitignore`, in the order of its lines. */
export type Gitignore = ReadonlyArray<Rule>

interface Rule {
  readonly isNegated: boolean
  readonly isForDirectories: boolean
  /** `path` is relative to the directory of the file, with slashes; `name` is its last segment. */
  readonly matches: (path: string, name: string) => boolean
}

/** Limits: further lines and longer rules, in characters, are ignored. */
const maxRules = 2000
const maxRuleLength = 1000

export const parse = (text: string): Gitignore =>
  text
    .split(/\r?\n/)
    .slice(0, maxRules)
    .flatMap((line) => rule(line) ?? [])

/** Whether the rules ignore a path: the last one that matches decides. Undefined if none does. */
export const isIgnored = (rules: Gitignore, path: string, isDirectory: boolean): boolean | undefined => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const last = rules.findLast((each) => (isDirectory || !each.isForDirectories) && each.matches(path, name))
  return last === undefined ? undefined : !last.isNegated
}

const rule = (line: string): Rule | undefined => {
  const text = line.replace(/(?<!\\)[ \t]+$/, "")
  if (text === "" || text.startsWith("#") || text.length > maxRuleLength) return undefined
  const isNegated = text.startsWith("!")
  const body = isNegated ? text.slice(1) : text
  const isForDirectories = body.endsWith("/")
  const pattern = isForDirectories ? body.slice(0, -1) : body
  if (pattern === "") return undefined
  return { isNegated, isForDirectories, matches: matcher(pattern) }
}

const matcher = (pattern: string): Rule["matches"] => {
  if (pattern.includes("/")) {
    const anchored = compile(pattern.replace(/^\//, "").replace(/\/\*\*$/, "/**/*"))
    return (path) => Glob.match(anchored, path)
  }
  // Most rules are of these two kinds, and each of them is tried on every file.
  if (!/[*?[\\]/.test(pattern)) return (_, name) => name === pattern
  const suffix = /^\*([^*?[\\]+)$/.exec(pattern)?.[1]
  if (suffix !== undefined) return (_, name) => name.endsWith(suffix)
  const glob = compile(pattern)
  return (_, name) => Glob.match(glob, name)
}

/** Braces mean nothing in a `.gitignore`. */
const compile = (pattern: string): Glob.Glob => Glob.make(pattern.replaceAll(/[{}]/g, "\\$&"), { dot: true })
