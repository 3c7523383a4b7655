import { readdir } from "node:fs/promises"
import * as NodePath from "node:path"
import * as Glob from "effect/Glob"

/** So many names are looked at to see what a pattern stands for. */
const maxNames = 5000

/** The names that a pattern stands for, segment by segment as the shell does it; undefined where they are too many. */
export const namesFor = async (pattern: string, cwd: string): Promise<ReadonlyArray<string> | undefined> => {
  let found: ReadonlyArray<string> = [""]
  let looked = 0
  for (const segment of pattern.split("/")) {
    const next: Array<string> = []
    for (const base of found) {
      if (!/[*?[]/.test(segment)) {
        next.push(NodePath.join(base, segment))
        continue
      }
      const glob = Glob.make(segment.replaceAll(/[{}]/g, "\\$&"))
      const names = await readdir(NodePath.join(cwd, base)).catch(() => [])
      looked += names.length
      if (looked > maxNames) return undefined
      for (const name of names) if (Glob.match(glob, name)) next.push(NodePath.join(base, name))
    }
    found = next
  }
  return found
}
