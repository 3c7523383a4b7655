import { lstat, readdir, rename, rm } from "node:fs/promises"
import * as NodePath from "node:path"
import { isAlive } from "../process/ProcessIdentity.ts"
import { stagingName, parseStagingName } from "./StagingName.ts"
import { refuse } from "../files/Refused.ts"
import { systemCode } from "../domain/SystemError.ts"

/** Others may put the same skill in the same place at the same time; after so many tries it is theirs. */
const attempts = 10

/**
 * Gives a whole folder the name of a skill. With `force` it may take another's place: that one stands beside it, where
 * the registry finds it, until the name is the new one's.
 */
export const place = async (staged: string, folder: string, name: string, force: boolean): Promise<string> => {
  const target = NodePath.join(folder, name)
  const replaced: Array<string> = []
  const stepAside = async () => {
    const old = stagingName(folder, name, "old")
    if (await moved(target, old)) replaced.push(old)
  }
  for (let attempt = 1; ; attempt++) {
    if (!force) await refuseTaken(folder, name)
    else await stepAside()
    try {
      await rename(staged, target)
      break
    } catch (error) {
      if (taken.has(systemCode(error) ?? "") && attempt < attempts) continue
      for (const old of replaced) await moved(old, target).catch(() => false)
      throw error
    }
  }
  for (const old of replaced) await discard(old, folder, name)
  return target
}

/** Fails where a name is taken. */
export const refuseTaken = async (folder: string, name: string): Promise<void> => {
  const target = NodePath.join(folder, name)
  if (await exists(target)) {
    throw refuse(`the skill ${name} is installed already, in ${target}; with force, another takes its place`)
  }
}

/** Takes a skill away in one step; whether it was there. */
export const remove = async (folder: string, name: string): Promise<boolean> => {
  const gone = stagingName(folder, name, "gone")
  const wasThere = await moved(NodePath.join(folder, name), gone)
  if (wasThere) await deleteTree(gone)
  return wasThere
}

/**
 * Ends what a process that is no more has left behind: half a copy and what was to be deleted is deleted; an old skill
 * that has no successor gets its name back.
 */
export const tidy = async (folder: string): Promise<void> => {
  for (const entry of await readdir(folder)) {
    const left = parseStagingName(entry)
    if (left === undefined || isAlive(left.owner)) continue
    const path = NodePath.join(folder, entry)
    const target = NodePath.join(folder, left.name)
    if (left.kind !== "old") await deleteTree(path)
    else if (await exists(target)) await discard(path, folder, left.name)
    else await moved(path, target)
  }
}

/** What says that a name is taken, of a folder that was not there a moment ago. */
const taken = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR", "EISDIR", "EPERM"])

/** It loses its claim to the name before it loses its first file. */
const discard = async (old: string, folder: string, name: string): Promise<void> => {
  const gone = stagingName(folder, name, "gone")
  if (await moved(old, gone)) await deleteTree(gone)
}

/** Whether there was something to move; nothing is there already where it should go. */
const moved = async (from: string, to: string): Promise<boolean> => {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false
    throw error
  }
}

/** What cannot be deleted now is nobody's skill any more, and is tried again by a later process. */
const deleteTree = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) => {
    if (systemCode(error) === undefined) throw error
  })

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === "ENOENT") return false
      throw error
    }
  )
