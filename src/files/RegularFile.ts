import { constants, type Stats } from "node:fs"
import { type FileHandle, lstat, open, readlink, realpath, stat } from "node:fs/promises"
import { refuse } from "./Refused.ts"

/** Flags of `open` for reading that follow no link, and do not wait for the other end of a pipe. */
export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a regular file for reading while `use` runs. Fails for a pipe, a device or a directory, and for any other file
 * than the one at this real path, even if something is put in its place meanwhile.
 */
export const withRegularFile = async <A>(
  real: string,
  use: (handle: FileHandle, stat: Stats) => Promise<A>
): Promise<A> => {
  // Checked before it is opened, since to open a pipe or a device can block or have effects.
  requireRegular(real, await lstat(real))
  const handle = await open(real, readFlags)
  try {
    const stat = await handle.stat()
    requireRegular(real, stat)
    await requireAt(handle, real)
    return await use(handle, stat)
  } finally {
    await handle.close()
  }
}

/** Fails unless an open file or directory lies at this real path. */
export const requireAt = async (handle: FileHandle, real: string): Promise<void> => {
  if ((await whereIs(handle, real)) !== real) throw refuse(`${real} changed while it was opened; try again`)
}

/**
 * Fails unless a directory lies at this real path. One that was swapped for a link since the path was resolved leads to
 * files that nobody was asked about.
 */
export const requireDirectory = async (real: string, shown = real, hint = ""): Promise<void> => {
  const stats = await stat(real)
  if (!stats.isDirectory()) throw refuse(`${shown} is ${kindOf(stats)}, not a directory${hint}`)
  if ((await realpath(real)) !== real) throw refuse(`${shown} now leads elsewhere than when it was looked at`)
}

const whereIs = async (handle: FileHandle, real: string): Promise<string> => {
  if (process.platform === "linux") {
    const link = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
    if (link !== undefined) return link
  }
  const [opened, present] = await Promise.all([handle.stat(), lstat(real)])
  return opened.ino === present.ino && opened.dev === present.dev ? realpath(real) : ""
}

const requireRegular = (path: string, stat: Stats): void => {
  if (!stat.isFile()) throw refuse(`${path} is ${kindOf(stat)}, not a regular file`)
}

/** The kind of a directory entry, in words. */
export const kindOf = (entry: Pick<Stats, Kinds>): string => {
  if (entry.isDirectory()) return "a directory"
  if (entry.isSymbolicLink()) return "a symbolic link"
  if (entry.isFIFO()) return "a pipe"
  if (entry.isSocket()) return "a socket"
  return entry.isFile() ? "a file" : "a device"
}

type Kinds = "isDirectory" | "isSymbolicLink" | "isFIFO" | "isSocket" | "isFile"
