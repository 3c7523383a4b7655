import * as Fs from "node:fs"
import { constants } from "node:os"

/** The running processes below one, by id (Linux: read from `/proc`, like all here). */
export const descendants = (pid: number): ReadonlyArray<number> => {
  const children = Map.groupBy(all(), (each) => statOf(each)?.parent)
  const below = (each: number): ReadonlyArray<number> =>
    (children.get(each) ?? []).flatMap((child) => [child, ...below(child)])
  return below(pid)
}

/** Whether a process runs; one that only waits to be reaped does not. */
export const isAlive = (pid: number): boolean => {
  const state = statOf(pid)?.state
  return state !== undefined && state !== "Z" && state !== "X"
}

/** The words of a process's command line; empty if it is gone. */
export const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim() ?? ""

/**
 * The running processes with an environment variable that begins like this. Children inherit it, so it marks all processes
 * of a run.
 */
export const markedWith = (variable: string): ReadonlyArray<number> =>
  all().filter((pid) => {
    const variables = read(`/proc/${pid}/environ`)?.split("\0") ?? []
    return variables.some((each) => each.startsWith(variable)) && isAlive(pid)
  })

/** Kills a process, a stopped one too; one that has ended by now is no error. */
export const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It ended just now.
  }
}

/** Whether a process has a handler of its own for a signal; false if it is gone. */
export const catches = (pid: number, signal: NodeJS.Signals): boolean => {
  const [, caught = "0"] = /^SigCgt:\s*(\w+)/m.exec(read(`/proc/${pid}/status`) ?? "") ?? []
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n
}

/** The processor time that a process has used, in milliseconds, as far as it can still be read. */
export const processorMs = (pid: number): number | undefined => statOf(pid)?.processorMs

/** Looks every few milliseconds until it is so: the time it took, in milliseconds, or undefined if it never was. */
export const until = async (isSo: () => boolean, patienceMs: number): Promise<number | undefined> => {
  const from = performance.now()
  while (performance.now() - from < patienceMs) {
    if (isSo()) return performance.now() - from
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  // Between the last look and now this process itself may have been held up.
  return isSo() ? performance.now() - from : undefined
}

const all = (): ReadonlyArray<number> =>
  Fs.readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))

const read = (path: string): string | undefined => {
  try {
    return Fs.readFileSync(path, "latin1")
  } catch {
    return undefined
  }
}

const statOf = (pid: number) => {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The program's name stands in brackets and may hold blanks and brackets itself.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return { state: fields[0], parent: Number(fields[1]), processorMs: (Number(fields[11]) + Number(fields[12])) * 10 }
}
