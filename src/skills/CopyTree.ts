import type { Stats } from "node:fs"
import { lstat, mkdir, open, opendir, readlink, realpath } from "node:fs/promises"
import * as NodePath from "node:path"
import { refuse } from "../files/Refused.ts"
import { systemCode } from "../domain/SystemError.ts"
import { isWithin } from "../files/PathScope.ts"
import { withRegularFile } from "../files/RegularFile.ts"

/** The size limits of a skill (docs/skills.md, Installing); `files` limits its folders as well. */
export const limits = { files: 5000, bytes: 64 * 1024 * 1024 }

/** A file or folder to copy. */
interface Item {
  /** Its real path, with links resolved. */
  readonly real: string
  /** Relative to the root of the skill. */
  readonly path: string
  readonly isFolder: boolean
}

/** Copies a real folder to a new path, or refuses before it writes anything (docs/skills.md, Installing). */
export const copyTree = async (source: string, target: string, most = limits): Promise<void> => {
  const items = await survey(source, most)
  await mkdir(target)
  let remaining = most.bytes
  for (const { isFolder, path, real } of items) {
    const to = NodePath.join(target, path)
    if (isFolder) await mkdir(to)
    else remaining -= await copyFile(real, to, remaining)
    if (remaining < 0) throw tooManyBytes(most)
  }
}

/** Lists everything in a folder, parents first. A link counts as its target. */
const survey = async (root: string, most: typeof limits): Promise<ReadonlyArray<Item>> => {
  const items: Array<Item> = []
  let folders = 0
  let files = 0
  let bytes = 0

  const count = (stat: Stats) => {
    if (stat.isDirectory()) folders += 1
    else files += 1
    if (stat.isFile()) bytes += stat.size
    if (files > most.files) throw refuse(`the skill has more than ${most.files} files`)
    if (folders > most.files) throw refuse(`the skill has more than ${most.files} folders`)
    if (bytes > most.bytes) throw tooManyBytes(most)
  }

  /** `above` are the real paths of the folders on the way here. */
  const enter = async (folder: string, path: string, above: ReadonlyArray<string>): Promise<void> => {
    for await (const { name } of await opendir(folder)) {
      const at = NodePath.join(path, name)
      const { real, stat } = await follow(root, NodePath.join(folder, name), at)
      count(stat)
      items.push({ real, path: at, isFolder: stat.isDirectory() })
      if (!stat.isDirectory()) {
        if (!stat.isFile()) throw refuse(`${at} is neither a file nor a folder`)
        continue
      }
      if (above.includes(real)) throw refuse(`${at} is a link to a folder that it lies in`)
      await enter(real, at, [...above, real])
    }
  }

  await enter(root, "", [root])
  return items
}

const follow = async (root: string, here: string, shown: string) => {
  const stat = await lstat(here)
  if (!stat.isSymbolicLink()) return { real: here, stat }
  const real = await realpath(here).catch((error: unknown) => {
    if (systemCode(error) === undefined) throw error
    return undefined
  })
  if (real === undefined || !isWithin(root, real)) {
    throw refuse(`${shown} is a link to ${await readlink(here)}, which is not in the skill`)
  }
  return { real, stat: await lstat(real) }
}

/** The number of bytes copied at a time. */
const chunkBytes = 256 * 1024

/** Copies a file, which may have changed since the survey, and returns its size in bytes; stops beyond `limit`. */
const copyFile = (from: string, to: string, limit: number): Promise<number> =>
  withRegularFile(from, async (input, { mode, size }) => {
    // Only the owner may change the copy, since its scripts are run.
    await using output = await open(to, "wx", (mode & 0o755) | 0o600)
    const buffer = new Uint8Array(Math.min(chunkBytes, size + 1))
    let copied = 0
    while (copied <= limit) {
      const { bytesRead } = await input.read(buffer)
      await output.writeFile(buffer.subarray(0, bytesRead))
      copied += bytesRead
      // A short read ends the file; the buffer of a small one has room for a byte more.
      if (bytesRead < buffer.length) break
    }
    return copied
  })

const tooManyBytes = ({ bytes }: typeof limits) => refuse(`the skill has more than ${bytes / 1024 / 1024} MiB`)
