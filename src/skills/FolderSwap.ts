import { lstat, readdir, rename, rm } from "node:fs/promises"
import * as NodePath from "node:path"
import { isAlive } from "../process/ProcessIdentity.ts"
import { stagingName, parseStagingName } from "./StagingName.ts"
import { isMissing } from "../files/FileErrors.ts"
import { refuse } from "../files/Refused.ts"
import { systemCode } from "../domain/SystemError.ts"

/** Another process may install the same skill at the same time; after this many attempts its copy wins. */
const attempts = 10

/**
 * Renames a complete folder to a skill's name and returns its path. With `force` it may replace a skill: that one gets
 * the staging name `old`, under which the registry still reads it, until the new folder has the name.
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

/** Fails if a skill or anything else has the name. */
export const refuseTaken = async (folder: string, name: string): Promise<void> => {
  const target = NodePath.join(folder, name)
  if (await exists(target)) {
    throw refuse(`the skill ${name} is installed already, in ${target}; with force, another takes its place`)
  }
}

/** Removes a skill in one step; false if there was none. */
export const remove = async (folder: string, name: string): Promise<boolean> => {
  const gone = stagingName(folder, name, "gone")
  const wasThere = await moved(NodePath.join(folder, name), gone)
  if (wasThere) await deleteTree(gone)
  return wasThere
}

/**
 * Cleans up after processes that are gone: deletes incomplete copies and folders that were to be deleted, and gives an
 * old skill without a successor its name back.
 */
export const tidy = async (folder: string): Promise<void> => {
  for (const entry of await readdir(folder)) {
    const staging = parseStagingName(entry)
    if (staging === undefined || isAlive(staging.owner)) continue
    const path = NodePath.join(folder, entry)
    const target = NodePath.join(folder, staging.name)
    if (staging.kind !== "old") await deleteTree(path)
    else if (await exists(target)) await discard(path, folder, staging.name)
    else await moved(path, target)
  }
}

/** Errors of `rename` if the name has been taken in the meantime. */
const taken = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR", "EISDIR", "EPERM"])

/** Deletes an old skill. It is renamed first, so that no incomplete one can be read or get its name back. */
const discard = async (old: string, folder: string, name: string): Promise<void> => {
  const gone = stagingName(folder, name, "gone")
  if (await moved(old, gone)) await deleteTree(gone)
}

/** Renames a path to a free one; false if there was nothing to rename. */
const moved = async (from: string, to: string): Promise<boolean> => {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** A folder that cannot be deleted now is no skill any more, and a later process tries again. */
const deleteTree = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) => {
    if (systemCode(error) === undefined) throw error
  })

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    }
  )
