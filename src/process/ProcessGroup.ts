import { readdirSync } from "node:fs"
import * as Effect from "effect/Effect"
import { systemCode } from "../domain/SystemError.ts"
import { procStat } from "./ProcStat.ts"

/** From TERM to KILL, in milliseconds (runtime, Tools). */
const killAfterMs = 2000

/** How often it is looked whether a group is gone, in milliseconds: soon at first. */
const firstPollMs = 5
const lastPollMs = 100

/** TERM to a whole group, named by its leader, and KILL if that was not heard, or if nobody wants to wait for it. */
export const terminate = (group: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (!signal(group, "SIGTERM")) return
    // By the clock: on a busy machine each look and each pause takes longer than it should.
    const killAt = performance.now() + killAfterMs
    for (let poll = firstPollMs; isAlive(group); poll = Math.min(poll * 2, lastPollMs)) {
      const left = killAt - performance.now()
      if (left <= 0) break
      yield* pause(Math.min(poll, left))
    }
    signal(group, "SIGKILL")
  }).pipe(Effect.onInterrupt(() => Effect.sync(() => signal(group, "SIGKILL"))))

/** Real time, whatever the clock says: processes know no other. */
export const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })

/** Whether a process of the group still runs. */
export const isAlive = (group: number): boolean =>
  signal(group, 0) && (process.platform !== "linux" || hasRunningMember(group))

/** The dead that nobody has asked after count for `kill`, and in a container nobody may ever ask. */
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

/**
 * Whether the number of a group whose leader is gone was given to another process: as long as one of the group was
 * there it could not be.
 */
export const isTaken = (group: number): boolean => {
  try {
    return process.kill(group, 0)
  } catch (error) {
    return systemCode(error) === "EPERM"
  }
}

/** A signal to a whole group, named by its leader; whether there was anybody to hear it. */
export const signal = (group: number, name: NodeJS.Signals | 0): boolean => {
  if (process.platform === "win32") return name !== 0 && endTree(group)
  try {
    return process.kill(-group, name)
  } catch {
    return false
  }
}

/** Windows has no groups: the tree of children is ended, at once. */
const endTree = (pid: number): false => {
  const { spawn } = process.getBuiltinModule("node:child_process")
  spawn("taskkill", ["/pid", `${pid}`, "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {})
  return false
}
