import { lstat, readdir, stat } from "node:fs/promises"
import { namePatterns, type NamePattern, type Piece } from "./NamePattern.ts"
import { isWithin } from "./PathScope.ts"
import { resolveReal } from "./RealPath.ts"

/** How many more directory entries may be compared with patterns, over a whole command line. */
export interface Budget {
  entries: number
}

/**
 * The paths that a pattern matches, sorted, relative to `cwd`; empty if there are none. Undefined if that cannot be known for
 * certain: the pattern is unclear, a name in one of the directories is no UTF-8, there are too many, or a directory on the
 * way leads out of `top` (both are real paths).
 */
export const pathsOf = async (
  pieces: ReadonlyArray<Piece>,
  cwd: string,
  top: string,
  budget: Budget
): Promise<ReadonlyArray<string> | undefined> => {
  const patterns = namePatterns(pieces)
  if (patterns === undefined) return undefined
  let paths: ReadonlyArray<string> = [""]
  for (const [index, pattern] of patterns.entries()) {
    const next: Array<string> = []
    const isLast = index === patterns.length - 1
    for (const base of paths) {
      // Names up to the first pattern are looked at with what it matches.
      if (!pattern.isPattern && !patterns.slice(0, index).some(({ isPattern }) => isPattern)) {
        next.push(base + pattern.text + (isLast ? "" : "/"))
        continue
      }
      const real = await resolveReal(`${cwd}/${base}`)
      if (real === undefined || !isWithin(top, real)) return undefined
      const names = pattern.isPattern
        ? await matching(`${cwd}/${base}`, pattern, budget)
        : await existing(`${cwd}/${base}`, pattern.text)
      if (names === undefined) return undefined
      next.push(...names.map((name) => base + name + (isLast ? "" : "/")))
    }
    paths = next
  }
  return paths.toSorted()
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const matching = async (
  directory: string,
  pattern: NamePattern,
  budget: Budget
): Promise<ReadonlyArray<string> | undefined> => {
  const entries = await readdir(directory, { encoding: "buffer" }).catch(() => [])
  budget.entries -= entries.length
  if (budget.entries < 0) return undefined
  try {
    return entries.map((bytes) => utf8.decode(bytes)).filter(pattern.matches)
  } catch {
    return undefined
  }
}

/** The name if it exists in the directory; the empty name, behind a slash at the end, if that is a directory. */
const existing = async (directory: string, name: string): Promise<ReadonlyArray<string>> => {
  const isThere = await (name === "" ? stat(directory) : lstat(directory + name)).then(
    (stats) => name !== "" || stats.isDirectory(),
    () => false
  )
  return isThere ? [name] : []
}
