import { closeSync, constants, fstatSync, openSync, readSync, type Stats, writeSync } from "node:fs"
import { lstat, mkdir, opendir, readlink, realpath } from "node:fs/promises"
import * as NodePath from "node:path"
import { refuse } from "../files/Refused.ts"
import { systemCode } from "../domain/SystemError.ts"
import { isWithin } from "../files/PathScope.ts"

/** What a skill may have at most (contract 8); there may be as many folders as files. */
export const limits = { files: 5000, bytes: 64 * 1024 * 1024 }

/** One thing to copy. */
interface Item {
  /** Where its content really lies. */
  readonly real: string
  /** From the root of the skill. */
  readonly path: string
  readonly isFolder: boolean
}

/** Copies what lies in a real folder into a new one, or refuses before it has written anything (contract 8). */
export const copyTree = async (source: string, target: string, most = limits): Promise<void> => {
  const items = await survey(source, most)
  await mkdir(target)
  let left = most.bytes
  for (const { isFolder, path, real } of items) {
    const to = NodePath.join(target, path)
    if (isFolder) await mkdir(to)
    else left -= await copyFile(real, to, left)
    if (left < 0) throw tooManyBytes(most)
  }
}

/** Everything in a folder, parents first; links are what they lead to. */
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

  /** `above`: the real folders that lead here. */
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

/** Bytes that are copied in one go. */
const chunkBytes = 256 * 1024

/**
 * Copies a file that may have changed since it was looked at; gives back its bytes, or more than the
 * limit, where it stopped. Each piece is copied in one go: a
 * thousand small files are done in a tenth of the time that handing each call to another thread takes.
 */
const copyFile = async (from: string, to: string, limit: number): Promise<number> => {
  const input = openSync(from, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  let output: number | undefined
  try {
    const stat = fstatSync(input)
    if (!stat.isFile()) throw refuse(`${from} changed while it was copied`)
    // Nobody but the owner may change what is run; whoever may read it may copy it.
    output = openSync(to, "wx", (stat.mode & 0o755) | 0o600)
    const buffer = new Uint8Array(Math.min(chunkBytes, stat.size + 1))
    let copied = 0
    while (true) {
      const read = readSync(input, buffer, 0, buffer.length, null)
      copied += read
      if (copied > limit) return copied
      for (let at = 0; at < read;) at += writeSync(output, buffer, at, read - at)
      // Others want their turn.
      await new Promise<void>((resolve) => setImmediate(resolve))
      // One byte more than the file had was asked for.
      if (read < buffer.length) return copied
    }
  } finally {
    closeSync(input)
    if (output !== undefined) closeSync(output)
  }
}

const tooManyBytes = ({ bytes }: typeof limits) => refuse(`the skill has more than ${bytes / 1024 / 1024} MiB`)
