import * as fs from "node:fs"

/** The process that keeps others from writing to a database, where the system tells (Linux does). */
export const lockHolder = (filename: string): number | undefined => {
  try {
    // Under WAL the writer's lock lies on the shared-memory file.
    const inodes = [filename, `${filename}-shm`].map((file) => fs.statSync(file, { throwIfNoEntry: false })?.ino)
    return holderIn(fs.readFileSync("/proc/locks", "latin1"), new Set(inodes))
  } catch {
    return undefined
  }
}

/** The first that holds a write lock on one of the inodes, from the text of `/proc/locks`; none of another container. */
export const holderIn = (locks: string, inodes: ReadonlySet<number | undefined>): number | undefined => {
  for (const [, pid, inode] of locks.matchAll(/^\d+: \S+ +\S+ +WRITE (\d+) \S+:(\d+) /gm)) {
    if (Number(pid) > 0 && inodes.has(Number(inode))) return Number(pid)
  }
  return undefined
}
