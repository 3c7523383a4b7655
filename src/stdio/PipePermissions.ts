import * as Fs from "node:fs"

/**
 * Takes every permission from the pipes to the host, on Linux: `/proc/<our pid>/fd/1` would let any process of the same
 * user open our stdout and write what is no frame, or our stdin and answer its own approval. What is open stays open. A
 * process that knows of it can give the permissions back, and root needs none. Sockets cannot be opened so at all, and
 * files and pipes that have a name are not ours to change.
 */
export const removePipePermissions = (): void => {
  if (process.platform !== "linux") return
  for (const fd of [0, 1]) {
    try {
      if (Fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith("pipe:")) Fs.fchmodSync(fd, 0)
    } catch {
      // Closed, or without a /proc: nothing can be opened by way of it either.
    }
  }
}
