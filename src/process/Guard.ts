/**
 * Ends a process group when this process is gone, however it went. At an orderly exit the signal is sent by us; after a
 * SIGKILL by a shell that waits for the end of a pipe which only we hold. Windows has neither: there a host puts the
 * sidecar into a job object that ends its members.
 */
import { signal } from "./ProcessGroup.ts"

/** Woken by a line it goes, woken by the end of the pipe it ends the group. */
const script = `trap "" HUP INT TERM; read -r line || kill -s KILL -- "-$1"`

/** Watches over a group, named by its leader, until it is dismissed. */
export const watchOver = (group: number): { readonly dismiss: () => void } => {
  const atExit = () => signal(group, "SIGKILL")
  process.on("exit", atExit)
  const guard = process.platform === "win32" ? undefined : postGuard(group)
  return {
    dismiss: () => {
      process.off("exit", atExit)
      guard?.stdin.end("\n")
    }
  }
}

const postGuard = (group: number) => {
  const { spawn } = process.getBuiltinModule("node:child_process")
  // In a session of its own: what is sent to our group must not reach it.
  const guard = spawn("/bin/sh", ["-c", script, "llama-server-guard", `${group}`], {
    cwd: "/",
    env: {},
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  guard.on("error", () => {})
  guard.stdin.on("error", () => {})
  guard.unref()
  return guard
}
