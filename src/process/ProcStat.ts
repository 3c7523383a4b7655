import { readFileSync } from "node:fs"

/** The state of a process in Linux's `/proc/<pid>/stat`. */
export interface ProcStat {
  /** False for a process that has ended and waits to be reaped. */
  readonly isRunning: boolean
  /** The number of its process group. */
  readonly group: number
  /** The number of its process session: that of the process that leads it. */
  readonly session: number
  /** The time of its start, in clock ticks since the boot. */
  readonly startTicks: string
}

/** The state of a process; undefined if none has this number, or the system has no `/proc`. */
export const procStat = (pid: number): ProcStat | undefined => {
  try {
    return parse(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return undefined
  }
}

/** Parses a line of `/proc/<pid>/stat`. The program's name, in brackets, may contain blanks and brackets itself. */
export const parse = (line: string): ProcStat | undefined => {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ")
  const [state] = fields
  const group = fields[2]
  const session = fields[3]
  const startTicks = fields[19]
  if (group === undefined || session === undefined || startTicks === undefined) return undefined
  return { isRunning: state !== "Z" && state !== "X", group: Number(group), session: Number(session), startTicks }
}
