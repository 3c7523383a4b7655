/** Where a command line would run, as far as it bears on what is blocked. */
export interface ShellPlace {
  /** Absolute. */
  readonly cwd: string
  readonly home: string | undefined
  /** The environment that it gets. */
  readonly env: { readonly [name: string]: string | undefined }
}

/** Stands in a text for what cannot be known before it runs. */
export const unknown = "\uE000"

/** Directories that a system is made of: without one of them it is as gone as without `/`. */
const systemNames =
  "bin boot dev etc home lib lib32 lib64 libx32 proc root sbin sys usr var Applications Library System Users private".split(
    " "
  )

const windowsNames = ["windows", "users", "program files", "program files (x86)", "programdata"]

/**
 * Whether to erase what a path stands for is to erase `/` or the home directory: it is one of them, holds the home, is a
 * directory of the system, or all that is directly in one of these. The path may be a pattern; what it could match counts.
 */
export const isProtected = (path: string, place: ShellPlace): boolean => {
  const absolute = absolutePath(path, place)
  if (absolute.includes(unknown)) return false
  const home = place.home === undefined ? undefined : partsOf(place.home)
  const parts = partsOf(absolute)
  for (;;) {
    if (parts.length === 0 || isSystem(parts)) return true
    if (home !== undefined && parts.length <= home.length) {
      if (parts.every((part, index) => matches(part, home[index] ?? ""))) return true
    }
    if (!isEverything(parts.at(-1) ?? "")) return false
    parts.pop()
  }
}

const isSystem = ([first = "", second = "", ...rest]: ReadonlyArray<string>): boolean => {
  if (/^[A-Za-z]:$/.test(first)) {
    return rest.length === 0 && (second === "" || windowsNames.some((name) => matches(second.toLowerCase(), name)))
  }
  return second === "" && systemNames.some((name) => matches(first, name))
}

/** The directories of which all is meant by a path that ends with a slash or with patterns for everything. */
export const wholeDirectories = (path: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let rest = path
  for (;;) {
    const [, head, last = ""] = /^(.*?)\/+([^/]*)$/.exec(rest) ?? []
    if (head === undefined || !(last === "" || isEverything(last))) return found
    rest = head
    found.push(head === "" ? "/" : head)
  }
}

/** A name that is nothing but a pattern: `*`, `.*`, `??*`, `[a-z]*`, and Windows' `*.*`. */
const isEverything = (name: string): boolean =>
  name === "*.*" || /^\.?(?:[*?]|\[[^\]/]+\])+$/.test(name) || /^\.\.?\*+$/.test(name)

/** Absolute, by its name, without `.` and `..`; the home that Windows' variables name is known. */
export const absolutePath = (given: string, { cwd, home = "/" }: ShellPlace): string => {
  const named = given.replace(/^(?:%USERPROFILE%|%HOMEDRIVE%%HOMEPATH%)(?=$|[/\\])/i, () => home)
  const path = /^[/\\]|^[A-Za-z]:([/\\]|$|\*)/.test(named) ? named : `${cwd}/${named}`
  // Where it begins is not known: then `..` means nothing either.
  if (path.startsWith(unknown) || named.startsWith(unknown)) return unknown
  // A process's own name for `/`.
  return `/${partsOf(path).join("/")}`.replace(/^(?:\/proc\/[^/]+(?:\/task\/[^/]+)?\/root(?=\/|$))+/, "") || "/"
}

const partsOf = (path: string): Array<string> => {
  const parts: Array<string> = []
  for (const part of path.split(/[/\\]+/)) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return parts
}

const longestPattern = 200

/** Whether a name could be meant by a pattern. */
const matches = (pattern: string, name: string): boolean => {
  if (!/[*?[]/.test(pattern)) return pattern === name
  if (pattern.length > longestPattern || (name.startsWith(".") && !pattern.startsWith("."))) return false
  const tokens = pattern.match(/\*+|\[[!^]?\]?[^\]]*\]|[\s\S]/g) ?? []
  // The places in the name up to which the tokens so far could reach.
  let reached = new Set([0])
  for (const token of tokens) {
    const next = new Set<number>()
    for (const at of reached) {
      if (token.startsWith("*")) for (let to = at; to <= name.length; to++) next.add(to)
      else if (at < name.length && fitsOne(token, name[at] ?? "")) next.add(at + 1)
    }
    reached = next
  }
  return reached.has(name.length)
}

const fitsOne = (token: string, char: string): boolean => {
  if (token === "?") return true
  if (token.length < 3 || !token.startsWith("[")) return token === char
  const isNegated = /^\[[!^]/.test(token)
  const inside = token.slice(isNegated ? 2 : 1, -1)
  const named = /\[:\w+:?/.test(inside)
  const isIn = [...inside.matchAll(/(.)-(.)|(.)/gsu)].some(({ 1: from, 2: to, 3: one }) =>
    one === undefined ? (from ?? "") <= char && char <= (to ?? "") : one === char
  )
  // A class by its name could be any.
  return named || isIn !== isNegated
}
