import * as fs from "node:fs"

/** The process that locks a database against writers; undefined if unknown (other systems than Linux). */
export const lockHolder = (filename: string): number | undefined => {
  try {
    // In WAL mode the writer's lock is on the shared-memory file.
    const inodes = [filename, `${filename}-shm`].map((file) => fs.statSync(file, { throwIfNoEntry: false })?.ino)
    return holderIn(fs.readFileSync("/proc/locks", "latin1"), new Set(inodes))
  } catch {
    return undefined
  }
}

/** The first process in the text of `/proc/locks` with a write lock on one of the inodes; none of another container. */
export const holderIn = (locks: string, inodes: ReadonlySet<number | undefined>): number | undefined => {
  for (const [, pid, inode] of locks.matchAll(/^\d+: \S+ +\S+ +WRITE (\d+) \S+:(\d+) /gm)) {
    if (Number(pid) > 0 && inodes.has(Number(inode))) return Number(pid)
  }
  return undefined
}
