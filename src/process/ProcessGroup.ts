import { readdirSync } from "node:fs"
import * as Effect from "effect/Effect"
import { procStat } from "./ProcStat.ts"

/** From TERM to KILL, in milliseconds (runtime, Tools). */
const killAfterMs = 2000

/** Interval between checks whether a group has ended, in milliseconds: doubled from the first value to the last. */
const firstPollMs = 5
const lastPollMs = 100

/** Sends TERM to a group, named by its leader, and KILL if it does not end in time, or at once on interruption. */
export const terminate = (group: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (!signal(group, "SIGTERM")) return
    // Measured by the clock, since on a busy machine each check and each pause takes longer than it should.
    const killAt = performance.now() + killAfterMs
    for (let poll = firstPollMs; isGroupAlive(group); poll = Math.min(poll * 2, lastPollMs)) {
      const remainingMs = killAt - performance.now()
      if (remainingMs <= 0) break
      yield* pause(Math.min(poll, remainingMs))
    }
    signal(group, "SIGKILL")
  }).pipe(Effect.onInterrupt(() => Effect.sync(() => signal(group, "SIGKILL"))))

/** Waits in real time, even under a test's clock: processes know no other time. */
export const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })

/** True if a process of the group still runs. */
export const isGroupAlive = (group: number): boolean =>
  signal(group, 0) && (process.platform !== "linux" || hasRunningMember(group))

/** `kill` also counts processes that have ended but were not reaped, and in a container they may never be. */
const hasRunningMember = (group: number): boolean => {
  const entries = listProcesses()
  return entries === undefined || entries.some((pid) => /^\d+$/.test(pid) && isRunningIn(pid, group))
}

const listProcesses = (): ReadonlyArray<string> | undefined => {
  try {
    return readdirSync("/proc")
  } catch {
    return undefined
  }
}

const isRunningIn = (pid: string, group: number): boolean => {
  const stat = procStat(Number(pid))
  return stat?.isRunning === true && stat.group === group
}

/** Sends a signal to a group, named by its leader; false if the group has no process. The signal 0 only checks. */
export const signal = (group: number, name: NodeJS.Signals | 0): boolean => {
  if (process.platform === "win32") return name !== 0 && endTree(group)
  try {
    return process.kill(-group, name)
  } catch {
    return false
  }
}

/** Windows has no groups: the tree of child processes is ended, at once. */
const endTree = (pid: number): false => {
  const { spawn } = process.getBuiltinModule("node:child_process")
  spawn("taskkill", ["/pid", `${pid}`, "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {})
  return false
}
