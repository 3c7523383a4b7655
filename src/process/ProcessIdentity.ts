import * as fs from "node:fs"
import { systemCode } from "../domain/SystemError.ts"
import { procStat } from "./ProcStat.ts"

/** A process, distinct from later ones with the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** Its start: where there is a `/proc`, the boot and the ticks since; else an estimate that only it can repeat. */
  readonly started: string
}

/** This process. */
export const self = (): ProcessIdentity =>
  (own ??= { pid: process.pid, started: startOf(process.pid) ?? estimatedStart() })

let own: ProcessIdentity | undefined

const estimatedStart = () => `ms${Math.round(performance.timeOrigin)}`

/** True if the process still runs. Without a `/proc`, another process with its number is taken for it. */
export const isAlive = (owner: ProcessIdentity): boolean => {
  if (owner.pid === self().pid) return owner.started === self().started
  const started = startOf(owner.pid)
  if (started !== undefined) return started === owner.started
  return !hasProc() && pidExists(owner.pid)
}

/**
 * True if a process has this number. No process gets the number of a group that still has members: if the leader of a
 * group is gone and its number exists, the group is gone too.
 */
export const pidExists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    // It exists, but this user may not signal it.
    return systemCode(cause) === "EPERM"
  }
}

const startOf = (pid: number): string | undefined => {
  const stat = procStat(pid)
  return stat?.isRunning === true ? `${boot()}+${stat.startTicks}` : undefined
}

const boot = () => fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()

const hasProc = () => fs.existsSync("/proc/self/stat")
