import type { Dirent } from "node:fs"
import { lstat, readlink } from "node:fs/promises"
import * as NodePath from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attempt } from "../../files/FileErrors.ts"
import { readEntries } from "../../files/ReadEntries.ts"
import { kindOf, requireDirectory } from "../../files/RegularFile.ts"
import { shownName } from "../../domain/ShownName.ts"
import { AtLeastOne } from "../../protocol/Checks.ts"
import * as Tool from "../Tool.ts"
import { noted, readNeed, type Workspace } from "../Workspace.ts"

const defaultLimit = 200
const maxLimit = 2000

/** How many entries of one directory are read. */
const maxScanned = 10_000

/** Folders that are listed, but entered only if they are the path itself. */
const notEntered = new Set([".git", "node_modules"])

/** Lists a directory (runtime, Tools). */
export const fsList = (workspace: Workspace["Service"]) =>
  Tool.make({
    name: "fs.list",
    description: "List a directory: names, kinds, sizes.",
    parameters: Schema.Struct({
      path: Schema.String.annotateKey({ documentation: "The directory" }),
      depth: Schema.optionalKey(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 }, { expected: "1, 2 or 3" }))
      ).annotateKey({ documentation: "How many levels, itself included; 1 unless given" }),
      limit: Schema.optionalKey(AtLeastOne).annotateKey({
        documentation: `How many entries; ${defaultLimit} unless given, ${maxLimit} at most`
      })
    }),
    reads: true,
    plan: Effect.fnUntraced(function* ({ depth = 1, limit = defaultLimit, path }, context) {
      const location = yield* workspace.reading(path, context)
      return {
        ...readNeed(location, "list a directory outside the working directory"),
        run: noted(
          [location],
          attempt((signal) => list(location.real, location.path, depth, Math.min(limit, maxLimit), signal))
        )
      }
    })
  })

/** Walks level by level, so that the limit is spent on the upper levels first. */
const list = async (
  real: string,
  shown: string,
  depth: number,
  limit: number,
  signal: AbortSignal
): Promise<Tool.ToolOutput> => {
  await requireDirectory(real, shown, "; read it with fs_read")
  const lines: Array<string> = []
  const notes: Array<string> = []
  let level: ReadonlyArray<string> = [""]
  let omitted = 0
  for (let below = depth; below > 0 && level.length > 0; below--) {
    const next: Array<string> = []
    for (const folder of level) {
      signal.throwIfAborted()
      const scan = await readEntries(NodePath.join(real, folder), maxScanned, signal).catch((error: unknown) => {
        if (folder === "" || signal.aborted) throw error
        return undefined
      })
      if (scan === undefined) {
        notes.push(`${shownName(folder)} cannot be read`)
        continue
      }
      if (scan.isCut)
        notes.push(
          `${folder === "" ? "the directory" : shownName(folder)} has more than ${maxScanned} entries, only that many were looked at`
        )
      for (const entry of scan.entries.toSorted(inOrder)) {
        const path = NodePath.join(folder, entry.name)
        if (entry.isDirectory() && !notEntered.has(entry.name)) next.push(path)
        if (lines.length >= limit) omitted += 1
        else lines.push(await line(real, path))
      }
    }
    level = next
  }
  const head = `${shown}: ${lines.length === 0 ? "empty" : `${lines.length} entries`}`
  if (omitted > 0) notes.push(`${omitted} more are left out (limit ${limit})`)
  const text = [head, ...lines, ...(notes.length === 0 ? [] : [`(${notes.slice(0, 20).join("; ")})`])].join("\n")
  return { text, truncated: omitted > 0 || notes.length > 0 }
}

/** Directories first, each kind by name. */
const inOrder = (a: Dirent, b: Dirent): number =>
  Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1)

const line = async (root: string, path: string): Promise<string> => {
  const full = NodePath.join(root, path)
  const name = shownName(path)
  const stats = await lstat(full).catch(() => undefined)
  if (stats === undefined) return `${name} (gone)`
  if (stats.isDirectory()) return `${name}/`
  if (stats.isFile()) return `${name} ${stats.size} bytes`
  if (!stats.isSymbolicLink()) return `${name} (${kindOf(stats)})`
  const target = await readlink(full).catch(() => "?")
  return `${name} -> ${shownName(target)}`
}
