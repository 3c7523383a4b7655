import { readdir } from "node:fs/promises"
import * as NodePath from "node:path"
import * as Glob from "effect/Glob"

/** At most this many directory entries are compared with one pattern. */
const maxNames = 5000

/** The paths that a glob pattern matches, as the shell expands it; undefined if too many entries had to be compared. */
export const namesFor = async (pattern: string, cwd: string): Promise<ReadonlyArray<string> | undefined> => {
  let matches: ReadonlyArray<string> = [""]
  let compared = 0
  for (const segment of pattern.split("/")) {
    const next: Array<string> = []
    for (const base of matches) {
      if (!/[*?[]/.test(segment)) {
        next.push(NodePath.join(base, segment))
        continue
      }
      const glob = Glob.make(segment.replaceAll(/[{}]/g, "\\$&"))
      const names = await readdir(NodePath.join(cwd, base)).catch(() => [])
      compared += names.length
      if (compared > maxNames) return undefined
      for (const name of names) if (Glob.match(glob, name)) next.push(NodePath.join(base, name))
    }
    matches = next
  }
  return matches
}
