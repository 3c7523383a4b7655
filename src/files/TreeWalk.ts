import { type Dirent } from "node:fs"
import { lstat, readFile } from "node:fs/promises"
import * as NodePath from "node:path"
import * as Gitignore from "./Gitignore.ts"
import { readEntries } from "./ReadEntries.ts"

/** A walk ends after this many directory entries. */
export const maxEntries = 200_000

const maxDepth = 64
const maxGitignoreBytes = 1024 * 1024

/** Directories that are never entered, even if a `.gitignore` includes them again. */
const neverEntered: ReadonlyArray<string> = [".git", "node_modules"]

export interface WalkEntry {
  /** Relative to the root of the walk, with slashes. */
  readonly path: string
  readonly isFile: boolean
}

/** The rules of a `.gitignore` that apply to a part of the walk. */
interface InForce {
  readonly rules: Gitignore.Gitignore
  /** Makes a path that is relative to the root of the walk relative to the directory of the `.gitignore`. */
  readonly relative: (path: string) => string
}

/** Walks a tree without what `.gitignore` files ignore. It ends after `maxEntries` and then sets `isCut`. */
export class TreeWalk {
  /** The limit of entries or of depth was reached, so the walk is incomplete. */
  isCut = false
  /** Folders that could not be read, relative to the root, and why not. */
  readonly unreadable: Array<{ readonly path: string; readonly error: unknown }> = []
  private entryCount = 0
  private readonly root: string
  private readonly top: string
  private readonly signal: AbortSignal

  /** `root` is walked; the `.gitignore` files of its parents, from `top` down, apply too. */
  constructor(root: string, top: string, signal: AbortSignal) {
    this.root = root
    this.top = top
    this.signal = signal
  }

  /** Everything but directories, sorted by name within each directory, a directory's own files first. */
  async *files(): AsyncGenerator<WalkEntry> {
    yield* this.directory("", await this.above(), 0)
  }

  private async *directory(path: string, above: ReadonlyArray<InForce>, depth: number): AsyncGenerator<WalkEntry> {
    const own = await readRules(NodePath.join(this.root, path))
    const prefix = path === "" ? "" : `${path}/`
    const inForce =
      own === undefined ? above : [{ rules: own, relative: (each: string) => each.slice(prefix.length) }, ...above]
    const folders: Array<string> = []
    const files: Array<WalkEntry> = []
    for (const entry of await this.entries(path)) {
      const below = prefix + entry.name
      if (entry.isDirectory()) {
        // The files of a process in `/proc` are its memory and its environment.
        const isProcess = /^\/proc\/\d+$/.test(NodePath.join(this.root, below))
        const isEntered = !neverEntered.includes(entry.name) && !isProcess
        if (isEntered && !isIgnored(inForce, below, true)) folders.push(below)
      } else if (!isIgnored(inForce, below, false)) files.push({ path: below, isFile: entry.isFile() })
    }
    yield* files
    for (const folder of folders) {
      if (depth < maxDepth && this.entryCount < maxEntries) yield* this.directory(folder, inForce, depth + 1)
      else this.isCut = true
    }
  }

  private async entries(path: string): Promise<ReadonlyArray<Dirent>> {
    this.signal.throwIfAborted()
    const room = maxEntries - this.entryCount
    const read = await readEntries(NodePath.join(this.root, path), room, this.signal).catch((error: unknown) => {
      // Folders that cannot be read are skipped, except the root itself.
      if (path === "" || this.signal.aborted) throw error
      this.unreadable.push({ path, error })
      return { entries: [], isCut: false }
    })
    this.entryCount += read.entries.length
    this.isCut ||= read.isCut
    return read.entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  private async above(): Promise<ReadonlyArray<InForce>> {
    const below = NodePath.relative(this.top, this.root)
    if (below === "" || below.startsWith("..") || NodePath.isAbsolute(below)) return []
    const names = below.split(NodePath.sep)
    const inForce: Array<InForce> = []
    for (let depth = names.length - 1; depth >= 0; depth--) {
      const rules = await readRules(NodePath.join(this.top, ...names.slice(0, depth)))
      const prefix = `${names.slice(depth).join("/")}/`
      if (rules !== undefined) inForce.push({ rules, relative: (each) => prefix + each })
    }
    return inForce
  }
}

/** The nearest `.gitignore` with a rule that matches decides. */
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
    const stat = await lstat(path)
    return stat.isFile() && stat.size <= maxGitignoreBytes ? Gitignore.parse(await readFile(path, "utf8")) : undefined
  } catch {
    return undefined
  }
}
