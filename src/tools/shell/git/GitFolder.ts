import { readdirSync, readFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"

/** A repository with more entries than these is not walked to its end. */
const mostEntries = 20_000

/** Read by other programs alone, or by nothing that is silent: hooks are off, and submodules are left alone. */
const passedOver = new Set(["hooks", "lfs", "modules"])

/** What makes git read, or write, other files than those of the folder: another repository's objects, a split index. */
const leadsOn = /^(objects\/info\/(http-)?alternates|sharedindex\..*)$/i

/** Where git goes on from a worktree that the repository lists, for its branches: to the repository, or elsewhere. */
const worktreeCommon = /^worktrees\/[^/]+\/commondir$/i

/**
 * True if git reads only files that lie in this folder of a repository: no links, whatever their name, for git follows them
 * wherever it reads a file, no objects of another repository, and no worktree that belongs to another one. A split index counts too: git notes in the repository when
 * it was read.
 */
export const hasOnlyOwnFiles = async (folder: string, maxEntries = mostEntries): Promise<boolean> => {
  const waiting = [""]
  let entries = 0
  try {
    for (let at = 0; at < waiting.length; at++) {
      const under = waiting[at] ?? ""
      // Synchronously: by way of the thread pool the many small directories cost twice as much.
      for (const entry of readdirSync(`${folder}/${under}`, { withFileTypes: true })) {
        const name = under + entry.name
        if (under === "" && passedOver.has(entry.name)) continue
        if (entry.isDirectory()) waiting.push(`${name}/`)
        else if (!entry.isFile() || leadsOn.test(name)) return false
        else if (worktreeCommon.test(name) && readFileSync(`${folder}/${name}`, "latin1").trim() !== "../..")
          return false
        if (++entries > maxEntries) return false
      }
      if (at % 256 === 255) await setImmediate()
    }
    return true
  } catch {
    // It changes meanwhile, or may not be read, or has a name that is no text.
    return false
  }
}
