import * as fs from "node:fs"

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
    return Reflect.get(Object(cause), "code") === "EPERM"
  }
}

/** The start of a process from the text of its `/proc/<pid>/stat`; none for one that is dead and only waits to be reaped. */
export const startFrom = (stat: string): string | undefined => {
  // The program's name stands in brackets and may hold blanks and brackets itself.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const ticks = fields[19]
  return fields[0] === "Z" || fields[0] === "X" ? undefined : ticks
}

const startOf = (pid: number): string | undefined => {
  try {
    const ticks = startFrom(fs.readFileSync(`/proc/${pid}/stat`, "latin1"))
    return ticks === undefined ? undefined : `${boot()}+${ticks}`
  } catch {
    return undefined
  }
}

const boot = () => fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()

const hasProc = () => fs.existsSync("/proc/self/stat")
