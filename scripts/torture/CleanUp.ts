import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { kill, markedWith } from "../../src/testing/Processes.ts"

/** In the environment of a sidecar, and so of all that it starts: the path of a folder of its run. */
export const markVariable = "TORTURE_MARK"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Everything that a run makes stands in one folder, and all that it starts carries that folder's name: both go with it,
 * however it ends, the processes that it has stopped too.
 */
export const cleanUpAtExit = (): void => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "torture-"))
  process.env["TMPDIR"] = folder
  process.on("exit", () => {
    markedWith(`${markVariable}=${folder}`).forEach(kill)
    for (const mount of mountsIn(folder)) execFileSync("umount", ["--lazy", mount])
    Fs.rmSync(folder, { recursive: true, force: true })
  })
  for (const signal of signals) process.once(signal, () => process.exit(128 + Os.constants.signals[signal]))
}

/** The last one first: one may stand on another. */
const mountsIn = (folder: string): ReadonlyArray<string> => {
  if (process.platform !== "linux") return []
  return Fs.readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .flatMap((line) => line.split(" ").slice(1, 2))
    .filter((path) => path.startsWith(folder))
    .toReversed()
}
