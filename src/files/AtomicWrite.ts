import type { Buffer } from "node:buffer"
import { constants, type Stats } from "node:fs"
import { access, type FileHandle, lstat, mkdir, open, rename, unlink } from "node:fs/promises"
import * as NodePath from "node:path"
import { isMissing } from "./FileErrors.ts"
import { kindOf, requireAt, withRegularFile } from "./RegularFile.ts"
import { refuse } from "./Refused.ts"
import { isSystemError } from "../domain/SystemError.ts"

/** A file of more bytes is not compared byte by byte, but by what the file system says of it. */
export const comparedBytes = 10 * 1024 * 1024

/** A file as it was when a change to it was planned; undefined: there was none. */
export type FileSnapshot = { readonly stat: Stats; readonly content: Buffer | undefined } | undefined

/** Looks at what a write would replace. */
export const takeSnapshot = async (real: string): Promise<FileSnapshot> => {
  try {
    const seen = await withRegularFile(real, async (handle, stat) => ({
      stat,
      content: stat.size > comparedBytes ? undefined : await handle.readFile()
    }))
    await access(real, constants.W_OK)
    return seen
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * Puts content at a real path: whole or not at all, whenever the process dies. Fails where what is there now is not
 * what was seen. Whatever is swapped for a link meanwhile, nothing is written but in the directory that was meant.
 */
export const writeAtomically = (real: string, seen: FileSnapshot, content: Buffer): Promise<void> =>
  withDirectory(NodePath.dirname(real), async (directory, handle) => {
    const target = NodePath.join(directory, NodePath.basename(real))
    const random = process.getBuiltinModule("node:crypto").randomBytes(6).toString("hex")
    const temporary = NodePath.join(directory, `.atomic-agent-${random}.tmp`)
    try {
      await writeNew(temporary, content, () => requireUnchanged(real, seen, target))
      await requireAt(handle, NodePath.dirname(real))
      await rename(temporary, target)
    } catch (error) {
      await unlink(temporary).catch(() => {})
      throw error
    }
    await handle.sync().catch(() => {})
  })

const writeNew = async (
  path: string,
  content: Buffer,
  requireReplaced: () => Promise<Stats | undefined>
): Promise<void> => {
  const before = await requireReplaced()
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
  const handle = await open(path, flags, before === undefined ? 0o666 : 0o600)
  try {
    await handle.writeFile(content)
    // Once more: while the change was asked about, and while it was written, its mode was for others to change.
    const now = await requireReplaced()
    if (now !== undefined) {
      const mine = await handle.stat()
      // Whoever may not give files away keeps the new one.
      if (mine.uid !== now.uid || mine.gid !== now.gid) await handle.chown(now.uid, now.gid).catch(() => {})
      await handle.chmod(now.mode & 0o7777)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Fails unless a file at a real path is what it was when the snapshot was taken: same content, or still absent. `at` is
 * another path of the same file. Gives what is there.
 */
export const requireUnchanged = async (real: string, seen: FileSnapshot, at = real): Promise<Stats | undefined> => {
  const now = await lstat(at).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (now === undefined || seen === undefined) {
    if (now === undefined && seen === undefined) return undefined
    throw refuse(
      `${real} ${now === undefined ? "is gone" : "has come into being"} since the change was shown; look again`
    )
  }
  if (!now.isFile()) throw refuse(`${real} has become ${kindOf(now)} since the change was shown; look again`)
  const isSame = seen.content === undefined ? isSameState(now, seen.stat) : await holds(at, now, seen.content)
  if (!isSame) throw refuse(`${real} has changed since the change was shown; look again`)
  return now
}

const isSameState = (a: Stats, b: Stats): boolean =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs

const holds = async (target: string, { size }: Stats, content: Buffer): Promise<boolean> => {
  if (size !== content.length) return false
  const handle = await open(target, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    return (await handle.readFile()).equals(content)
  } finally {
    await handle.close()
  }
}

/**
 * Lends a directory, made with its parents if it is not there, by a path that keeps meaning it whatever happens to its
 * name. Where the system has no such path it is the name, and the directory must be looked at again before it counts.
 */
const withDirectory = async <A>(real: string, use: (path: string, handle: FileHandle) => Promise<A>): Promise<A> => {
  const handle = await openDirectory(real)
  try {
    return await use(pathOf(handle, real), handle)
  } finally {
    await handle.close()
  }
}

const openDirectory = async (real: string): Promise<FileHandle> => {
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
  let handle: FileHandle
  try {
    handle = await open(real, flags)
  } catch (error) {
    if (!isMissing(error) || NodePath.dirname(real) === real) throw changed(error, real)
    handle = await withDirectory(NodePath.dirname(real), async (parent) => {
      const path = NodePath.join(parent, NodePath.basename(real))
      await mkdir(path).catch((failure: unknown) => {
        if (!isSystemError(failure) || failure.code !== "EEXIST") throw failure
      })
      return open(path, flags).catch((failure: unknown) => {
        throw changed(failure, real)
      })
    })
  }
  try {
    await requireAt(handle, real)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** A real path has no links in it: one that has has been swapped in. */
const changed = (error: unknown, real: string): unknown =>
  isSystemError(error) && error.code === "ELOOP" ? refuse(`${real} has become a symbolic link`) : error

const pathOf = (handle: FileHandle, real: string): string =>
  process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : real
