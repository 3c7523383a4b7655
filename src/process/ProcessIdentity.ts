import * as fs from "node:fs"
import { systemCode } from "../domain/SystemError.ts"
import { procStat } from "./ProcStat.ts"

/** A process, told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** When it started: the boot and the clock ticks since, where there is a /proc; else an estimate that only it can repeat. */
  readonly started: string
}

/** This process. */
export const self = (): ProcessIdentity =>
  (own ??= { pid: process.pid, started: startOf(process.pid) ?? estimatedStart() })

let own: ProcessIdentity | undefined

const estimatedStart = () => `ms${Math.round(performance.timeOrigin)}`

/** Whether a process still runs. Where its start cannot be read, a stranger with its number passes for it. */
export const isAlive = (owner: ProcessIdentity): boolean => {
  if (owner.pid === self().pid) return owner.started === self().started
  const started = startOf(owner.pid)
  if (started !== undefined) return started === owner.started
  if (hasProc()) return false
  try {
    process.kill(owner.pid, 0)
    return true
  } catch (cause) {
    // Not ours to signal, but there.
    return systemCode(cause) === "EPERM"
  }
}

const startOf = (pid: number): string | undefined => {
  const stat = procStat(pid)
  return stat?.isRunning === true ? `${boot()}+${stat.startTicks}` : undefined
}

const boot = () => fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()

const hasProc = () => fs.existsSync("/proc/self/stat")
