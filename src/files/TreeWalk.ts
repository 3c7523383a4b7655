import { type Dirent } from "node:fs"
import { lstat, opendir, readFile } from "node:fs/promises"
import * as NodePath from "node:path"
import * as Gitignore from "./Gitignore.ts"

/** So many entries are looked at in one walk. */
export const maxEntries = 200_000

const maxDepth = 64
const maxGitignoreBytes = 1024 * 1024

/** Never entered, whatever a `.gitignore` says. */
const neverEntered: ReadonlyArray<string> = [".git", "node_modules"]

export interface Found {
  /** Relative to the root of the walk, with slashes. */
  readonly path: string
  readonly isFile: boolean
}

/** A `.gitignore` that is in force: the rules, and the path of its directory relative to the root of the walk. */
interface InForce {
  readonly rules: Gitignore.Gitignore
  /** What a path relative to the root has in front of it, seen from the rules' directory, or how much of it to cut. */
  readonly relative: (path: string) => string
}

/** A walk down a tree, without what is ignored. It stops by itself, and says so, after `maxEntries`. */
export class TreeWalk {
  /** Something was left out because there was too much. */
  isCut = false
  private seen = 0
  private readonly root: string
  private readonly top: string
  private readonly signal: AbortSignal

  /** `root` is walked; the `.gitignore` files from `top`, which holds it, down to it are in force too. */
  constructor(root: string, top: string, signal: AbortSignal) {
    this.root = root
    this.top = top
    this.signal = signal
  }

  /** Everything but directories, sorted by name within each directory, a directory's own files first. */
  async *files(): AsyncGenerator<Found> {
    yield* this.directory("", await this.above(), 0)
  }

  private async *directory(path: string, above: ReadonlyArray<InForce>, depth: number): AsyncGenerator<Found> {
    const own = await readRules(NodePath.join(this.root, path))
    const prefix = path === "" ? "" : `${path}/`
    const inForce =
      own === undefined ? above : [{ rules: own, relative: (each: string) => each.slice(prefix.length) }, ...above]
    const folders: Array<string> = []
    const files: Array<Found> = []
    for (const entry of await this.entries(path)) {
      const below = prefix + entry.name
      if (entry.isDirectory()) {
        if (!neverEntered.includes(entry.name) && !isIgnored(inForce, below, true)) folders.push(below)
      } else if (!isIgnored(inForce, below, false)) files.push({ path: below, isFile: entry.isFile() })
    }
    yield* files
    for (const folder of folders) {
      if (depth < maxDepth && this.seen < maxEntries) yield* this.directory(folder, inForce, depth + 1)
      else this.isCut = true
    }
  }

  private async entries(path: string): Promise<ReadonlyArray<Dirent>> {
    this.signal.throwIfAborted()
    const entries: Array<Dirent> = []
    try {
      for await (const entry of await opendir(NodePath.join(this.root, path), { bufferSize: 512 })) {
        this.signal.throwIfAborted()
        if (this.seen >= maxEntries) {
          this.isCut = true
          break
        }
        this.seen += 1
        entries.push(entry)
      }
    } catch (error) {
      // What may not be read is passed over, but not the root itself.
      if (path === "" || this.signal.aborted) throw error
    }
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  private async above(): Promise<ReadonlyArray<InForce>> {
    const below = NodePath.relative(this.top, this.root)
    if (below === "" || below.startsWith("..") || NodePath.isAbsolute(below)) return []
    const names = below.split(NodePath.sep)
    const found: Array<InForce> = []
    for (let depth = names.length - 1; depth >= 0; depth--) {
      const rules = await readRules(NodePath.join(this.top, ...names.slice(0, depth)))
      const prefix = `${names.slice(depth).join("/")}/`
      if (rules !== undefined) found.push({ rules, relative: (each) => prefix + each })
    }
    return found
  }
}

/** The nearest `.gitignore` that has an opinion decides. */
const isIgnored = (inForce: ReadonlyArray<InForce>, path: string, isDirectory: boolean): boolean => {
  for (const { relative, rules } of inForce) {
    const verdict = Gitignore.isIgnored(rules, relative(path), isDirectory)
    if (verdict !== undefined) return verdict
  }
  return false
}

const readRules = async (directory: string): Promise<Gitignore.Gitignore | undefined> => {
  const path = NodePath.join(directory, ".gitignore")
  try {
    const found = await lstat(path)
    return found.isFile() && found.size <= maxGitignoreBytes ? Gitignore.parse(await readFile(path, "utf8")) : undefined
  } catch {
    return undefined
  }
}
