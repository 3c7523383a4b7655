import * as Fs from "node:fs"
import { isAlive } from "../races/Processes.ts"

/** In the environment of a sidecar, and of whatever it starts. */
export const markVariable = "TORTURE_MARK"

/** The processes that carry a mark, or one that begins with it, by id. */
export const marked = (mark: string): ReadonlyArray<number> => {
  const wanted = `${markVariable}=${mark}`
  return Fs.readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const variables = Fs.readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")
        return variables.some((variable) => variable.startsWith(wanted)) && isAlive(pid)
      } catch {
        return false
      }
    })
}

/** Ends a process, a stopped one too. */
export const end = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It ended just now.
  }
}

/** What was started, in words. */
export const commandOf = (pid: number): string => {
  try {
    return Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()
  } catch {
    return "gone by now"
  }
}
