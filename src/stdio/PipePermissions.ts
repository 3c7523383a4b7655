import * as Fs from "node:fs"

/**
 * Removes all permissions from the anonymous pipes to the host (Linux), so that other processes of this user cannot
 * reopen them through `/proc/<pid>/fd`, write to stdout or answer their own approvals over stdin. Open descriptors keep
 * working. Not a sandbox: the owner can restore the permissions, and root needs none (docs/security.md). Sockets cannot
 * be reopened anyway, and files and named pipes are left alone, since they belong to somebody else.
 */
export const removePipePermissions = (): void => {
  if (process.platform !== "linux") return
  for (const fd of [0, 1]) {
    try {
      if (Fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith("pipe:")) Fs.fchmodSync(fd, 0)
    } catch {
      // The descriptor is closed, or there is no /proc: then it cannot be reopened either.
    }
  }
}
