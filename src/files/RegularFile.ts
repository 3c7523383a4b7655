import { constants, type Stats } from "node:fs"
import { type FileHandle, lstat, open, readlink, realpath, stat } from "node:fs/promises"
import { refuse } from "./Refused.ts"

/**
 * Lends a regular file, opened for reading: never a pipe, a device or a directory, and never another file than the one
 * at this real path, whatever is swapped in meanwhile.
 */
export const withRegularFile = async <A>(
  real: string,
  use: (handle: FileHandle, stat: Stats) => Promise<A>
): Promise<A> => {
  // Looked at before it is opened: opening alone can block, or wake a device.
  requireRegular(real, await lstat(real))
  const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = await handle.stat()
    requireRegular(real, stat)
    await requireAt(handle, real)
    return await use(handle, stat)
  } finally {
    await handle.close()
  }
}

/** Fails where an open file or directory does not lie at the real path that was meant. */
export const requireAt = async (handle: FileHandle, real: string): Promise<void> => {
  const found = await whereIs(handle, real)
  if (found !== real) throw refuse(`${real} changed while it was opened; try again`)
}

/**
 * Fails unless a directory lies at this real path. One that was swapped for a link since the path was resolved leads to
 * files that nobody was asked about.
 */
export const requireDirectory = async (real: string, shown = real): Promise<void> => {
  const found = await stat(real)
  if (!found.isDirectory()) throw refuse(`${shown} is ${kindOf(found)}, not a directory`)
  if ((await realpath(real)) !== real) throw refuse(`${shown} now leads elsewhere than when it was looked at`)
}

const whereIs = async (handle: FileHandle, real: string): Promise<string> => {
  if (process.platform === "linux") {
    const link = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
    if (link !== undefined) return link
  }
  const [mine, theirs] = await Promise.all([handle.stat(), lstat(real)])
  return mine.ino === theirs.ino && mine.dev === theirs.dev ? realpath(real) : ""
}

const requireRegular = (path: string, stat: Stats): void => {
  if (!stat.isFile()) throw refuse(`${path} is ${kindOf(stat)}, not a regular file`)
}

/** What a directory entry is, in words. */
export const kindOf = (entry: Pick<Stats, Kinds>): string => {
  if (entry.isDirectory()) return "a directory"
  if (entry.isSymbolicLink()) return "a symbolic link"
  if (entry.isFIFO()) return "a pipe"
  if (entry.isSocket()) return "a socket"
  return entry.isFile() ? "a file" : "a device"
}

type Kinds = "isDirectory" | "isSymbolicLink" | "isFIFO" | "isSocket" | "isFile"
