/** Where a command line would run. */
export interface ShellPlace {
  /** Absolute. */
  readonly cwd: string
  readonly home: string | undefined
  /** The environment of the command. */
  readonly env: { readonly [name: string]: string | undefined }
}

/** A placeholder for text that cannot be known before the command runs. */
export const unknown = "\uE000"

/** At the end of a path: all that lies below it is named as well, as by `find`. */
export const deep = "\uE002"

/** Top-level directories: a system that lacks one of them is as lost as one without `/`. */
const systemNames =
  "bin boot dev etc home lib lib32 lib64 libx32 proc root sbin sys usr var Applications Library System Users private".split(
    " "
  )

const windowsNames = ["windows", "users", "program files", "program files (x86)", "programdata"]

/**
 * True if deleting `path` would delete `/`, the home directory, a parent of it, a system directory, or every direct
 * child of one of these. `path` may be a glob pattern, which counts for everything that it could match.
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

/** The directories whose whole contents a path stands for, by a slash or patterns for everything at its end. */
export const wholeDirectories = (path: string): ReadonlyArray<string> => {
  const directories: Array<string> = []
  let rest = path
  for (;;) {
    const [, head, last = ""] = /^(.*?)\/+([^/]*)$/.exec(rest) ?? []
    if (head === undefined || !(last === "" || isEverything(last))) return directories
    rest = head
    directories.push(head === "" ? "/" : head)
  }
}

/** True for a name that is nothing but a pattern: `*`, `.*`, `??*`, `[a-z]*`, and Windows' `*.*`. */
const isEverything = (name: string): boolean =>
  name === "*.*" || /^\.?(?:[*?]|\[[^\]/]+\])+$/.test(name) || /^\.\.?\*+$/.test(name)

/** Makes a path absolute by its name alone, without `.` and `..`. Windows' variables for the home are expanded. */
export const absolutePath = (given: string, { cwd, home = "/" }: ShellPlace): string => {
  const named = given.replaceAll(deep, "").replace(/^(?:%USERPROFILE%|%HOMEDRIVE%%HOMEPATH%)(?=$|[/\\])/i, () => home)
  const path = /^[/\\]|^[A-Za-z]:([/\\]|$|\*)/.test(named) ? named : `${cwd}/${named}`
  // If the start of a path is unknown, so is where `..` leads.
  if (path.startsWith(unknown) || named.startsWith(unknown)) return unknown
  return `/${partsOf(path, cwd).join("/")}`
}

/** The names in a path, with `..` and the links of `/proc` and `/dev` followed; `cwd` is where `/proc/self/cwd` leads. */
const partsOf = (path: string, cwd?: string): Array<string> => {
  const parts: Array<string> = []
  for (const part of path.split(/[/\\]+/)) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
    if (parts.length > longestLink || !/^(fd|thread-self|root|cwd)$/.test(part)) continue
    const link = `/${parts.join("/")}`
    if (link === "/dev/fd") parts.splice(0, 2, "proc", "self", "fd")
    else if (link === "/proc/thread-self") parts.splice(1, 1, "self", "task", "self")
    else if (/^\/proc\/[^/]+(\/task\/[^/]+)?\/root$/.test(link)) parts.length = 0
    else if (cwd !== undefined && /^\/proc\/self(\/task\/[^/]+)?\/cwd$/.test(link)) {
      parts.splice(0, parts.length, ...partsOf(cwd))
    }
  }
  return parts
}

/** In names: `/proc/self/task/self/root`. */
const longestLink = 5

const longestPattern = 200

/** True if a glob pattern could match a name. */
export const matches = (pattern: string, name: string): boolean => {
  if (!/[*?[]/.test(pattern)) return pattern === name
  if (pattern.length > longestPattern || (name.startsWith(".") && !pattern.startsWith("."))) return false
  const tokens = pattern.match(/\*+|\[[!^]?\]?[^\]]*\]|[\s\S]/g) ?? []
  // The positions in the name that the tokens so far could reach.
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
  // A named class, such as `[:alpha:]`, counts as matching.
  return named || isIn !== isNegated
}
