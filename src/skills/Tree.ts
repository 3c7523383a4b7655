import { constants, type Stats } from "node:fs"
import { lstat, mkdir, open, opendir, readlink, realpath } from "node:fs/promises"
import * as NodePath from "node:path"
import { codeOf, holds, refusal } from "./SkillFile.ts"

/** A skill has no more than this (contract 8). */
export const maxFiles = 5000
export const maxBytes = 64 * 1024 * 1024

const tooManyBytes = () => refusal(`the skill has more than ${maxBytes / 1024 / 1024} MiB`)

/** One thing to copy. */
interface Item {
  /** Where its content really lies. */
  readonly real: string
  /** From the root of the skill. */
  readonly path: string
  readonly isFolder: boolean
}

/** Copies what lies in a real folder into a new one, or refuses before it has written anything (contract 8). */
export const copyTree = async (source: string, target: string): Promise<void> => {
  const items = await survey(source)
  await mkdir(target)
  let left = maxBytes
  for (const { isFolder, path, real } of items) {
    const to = NodePath.join(target, path)
    if (isFolder) await mkdir(to)
    else left -= await copyFile(real, to, left)
  }
}

/** Everything in a folder, parents first; links are what they lead to. */
const survey = async (root: string): Promise<ReadonlyArray<Item>> => {
  const items: Array<Item> = []
  let folders = 0
  let files = 0
  let bytes = 0

  const count = (stat: Stats) => {
    if (stat.isDirectory()) folders += 1
    else files += 1
    if (stat.isFile()) bytes += stat.size
    if (files > maxFiles) throw refusal(`the skill has more than ${maxFiles} files`)
    if (folders > maxFiles) throw refusal(`the skill has more than ${maxFiles} folders`)
    if (bytes > maxBytes) throw tooManyBytes()
  }

  /** `above`: the real folders that lead here. */
  const enter = async (folder: string, path: string, above: ReadonlyArray<string>): Promise<void> => {
    for await (const { name } of await opendir(folder)) {
      const at = NodePath.join(path, name)
      const { real, stat } = await follow(root, NodePath.join(folder, name), at)
      count(stat)
      items.push({ real, path: at, isFolder: stat.isDirectory() })
      if (!stat.isDirectory()) {
        if (!stat.isFile()) throw refusal(`${at} is neither a file nor a folder`)
        continue
      }
      if (above.includes(real)) throw refusal(`${at} is a link to a folder that it lies in`)
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
    if (codeOf(error) === undefined) throw error
    return undefined
  })
  if (real === undefined || !holds(root, real)) {
    throw refusal(`${shown} is a link to ${await readlink(here)}, which is not in the skill`)
  }
  return { real, stat: await lstat(real) }
}

const chunk = 256 * 1024

/** Copies a file that may have changed since it was looked at; gives back its bytes. */
const copyFile = async (from: string, to: string, limit: number): Promise<number> => {
  await using input = await open(from, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  const stat = await input.stat()
  if (!stat.isFile()) throw refusal(`${from} changed while it was copied`)
  // Nobody but the owner may change what is run; whoever may read it may copy it.
  await using output = await open(to, "wx", (stat.mode & 0o755) | 0o600)
  const buffer = new Uint8Array(Math.min(chunk, stat.size + 1))
  let copied = 0
  while (true) {
    const { bytesRead } = await input.read(buffer, 0, buffer.length, null)
    if (bytesRead === 0) return copied
    copied += bytesRead
    if (copied > limit) throw tooManyBytes()
    await output.writeFile(buffer.subarray(0, bytesRead))
  }
}
