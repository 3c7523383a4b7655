import * as Fs from "node:fs"
import { constants } from "node:os"

/** The processes below one, by id, from /proc. */
export const descendants = (pid: number): ReadonlyArray<number> => {
  const children = new Map<number, Array<number>>()
  for (const name of Fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    const parent = statOf(Number(name))?.parent
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const below = (each: number): ReadonlyArray<number> =>
    (children.get(each) ?? []).flatMap((child) => [child, ...below(child)])
  return below(pid)
}

/** Whether it runs; one that only waits to be reaped does not. */
export const isAlive = (pid: number): boolean => {
  const state = statOf(pid)?.state
  return state !== undefined && state !== "Z" && state !== "X"
}

/** The words of its command line; empty where it is gone. */
export const commandOf = (pid: number): string => {
  try {
    return Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()
  } catch {
    return ""
  }
}

/** The running processes that have this in their environment: what is inherited tells whose they are. */
export const markedWith = (variable: string): ReadonlyArray<number> =>
  Fs.readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && isAlive(pid) && environmentOf(pid).includes(variable))

const environmentOf = (pid: number): ReadonlyArray<string> => {
  try {
    return Fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
  } catch {
    return []
  }
}

/** Whether it has a handler of its own for a signal; no, where it is gone. */
export const catches = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    const [, caught = "0"] = /^SigCgt:\s*(\w+)/m.exec(Fs.readFileSync(`/proc/${pid}/status`, "latin1")) ?? []
    return ((BigInt(`0x${caught}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n
  } catch {
    return false
  }
}

/** Processor time used so far, in milliseconds, as far as it can still be read. */
export const processorMs = (pid: number): number | undefined => statOf(pid)?.processorMs

const statOf = (pid: number) => {
  try {
    const stat = Fs.readFileSync(`/proc/${pid}/stat`, "latin1")
    // The program's name stands in brackets and may hold blanks and brackets itself.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { state: fields[0], parent: Number(fields[1]), processorMs: (Number(fields[11]) + Number(fields[12])) * 10 }
  } catch {
    return undefined
  }
}

/** Looks every few milliseconds until it is so; the time it took, in milliseconds, or nothing if it never was. */
export const until = async (isSo: () => boolean, patienceMs: number): Promise<number | undefined> => {
  const from = performance.now()
  while (performance.now() - from < patienceMs) {
    if (isSo()) return performance.now() - from
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  // Between the last look and now this process itself may have been held up.
  return isSo() ? performance.now() - from : undefined
}
