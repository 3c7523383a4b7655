import * as Fs from "node:fs"

/** Milliseconds so far in which somebody had to wait for a processor; 0 where the system does not say. */
export const waitedMs = (): number => {
  try {
    return Number(/^some .*total=(\d+)$/m.exec(Fs.readFileSync("/proc/pressure/cpu", "latin1"))?.[1] ?? 0) / 1000
  } catch {
    return 0
  }
}
