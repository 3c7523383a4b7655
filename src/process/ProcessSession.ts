/**
 * What a command has started: all processes of the process session that its first process leads, whatever groups they
 * make. A shell with job control and programs like `timeout` make groups of their own, which a signal to the leader's
 * group does not reach. Only Linux lists the processes of a session, in `/proc`: elsewhere (macOS) the leader's group
 * stands for it. A program that leads a session of its own (`setsid`) has left it.
 */
import { readdirSync, readlinkSync } from "node:fs"
import * as Effect from "effect/Effect"
import { inherited } from "./Environment.ts"
import { procStat } from "./ProcStat.ts"

/** From TERM to KILL, in milliseconds (runtime, Tools). */
const killAfterMs = 2000

/** Interval between checks whether a session has ended, in milliseconds: doubled from the first value to the last. */
const firstPollMs = 5
const lastPollMs = 100

/** What is forked into a new group between the reading of `/proc` and the signal is there at the next round. */
const killRounds = 3

/** Sends TERM to a session, and KILL if it does not end in time, or at once on interruption. */
export const terminate = (leader: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (!signal(leader, "SIGTERM")) return
    // Measured by the clock, since on a busy machine each check and each pause takes longer than it should.
    const killAt = performance.now() + killAfterMs
    for (let poll = firstPollMs; isRunning(leader); poll = Math.min(poll * 2, lastPollMs)) {
      const remainingMs = killAt - performance.now()
      if (remainingMs <= 0) break
      yield* pause(Math.min(poll, remainingMs))
    }
    kill(leader)
  }).pipe(Effect.onInterrupt(() => Effect.sync(() => kill(leader))))

/** Waits in real time, even under a test's clock: processes know no other time. */
export const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })

/** True if a process of the session still runs. */
export const isRunning = (leader: number): boolean => {
  const stat = procStat(leader)
  return (stat?.isRunning === true && stat.session === leader) || runningGroups(leader).length > 0
}

/** Sends KILL to a session, and to what it forks meanwhile. */
export const kill = (leader: number): void => {
  for (let round = 0; round < killRounds && signal(leader, "SIGKILL"); round++);
}

/** Sends a signal to a session; false if none of its processes runs. */
export const signal = (leader: number, name: NodeJS.Signals): boolean => {
  if (process.platform === "win32") return endTree(leader)
  const groups = runningGroups(leader)
  for (const group of groups) signalGroup(group, name)
  return groups.length > 0
}

/**
 * The groups of a session that have a process that runs. `/proc` is read since `kill` also counts processes that have
 * ended but were not reaped, and in a container they may never be.
 */
const runningGroups = (leader: number): ReadonlyArray<number> => {
  const entries = listProcesses()
  if (entries === undefined) return signalGroup(leader, 0) ? [leader] : []
  const groups = new Set<number>()
  for (const pid of entries) {
    const stat = /^\d+$/.test(pid) ? procStat(Number(pid)) : undefined
    if (stat?.isRunning === true && stat.session === leader) groups.add(stat.group)
  }
  return [...groups]
}

/** Undefined if there is no `/proc`, or only one of other numbers, as in a container that kept that of its host. */
const listProcesses = (): ReadonlyArray<string> | undefined => {
  try {
    return readlinkSync("/proc/self") === `${process.pid}` ? readdirSync("/proc") : undefined
  } catch {
    return undefined
  }
}

/** False if the group has no process. The signal 0 only checks. */
const signalGroup = (group: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(-group, name)
  } catch {
    return false
  }
}

/** Windows has no sessions: the tree of child processes is ended, at once. */
const endTree = (pid: number): false => {
  const { spawn } = process.getBuiltinModule("node:child_process")
  const options = { stdio: "ignore", windowsHide: true, env: inherited() } as const
  spawn("taskkill", ["/pid", `${pid}`, "/t", "/f"], options).on("error", () => {})
  return false
}
