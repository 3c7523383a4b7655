import * as Assert from "node:assert/strict"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { catches } from "../../../src/testing/Processes.ts"
import { StateDir } from "../../../src/testing/StateDir.ts"
import type { Figure } from "../Figure.ts"
import { Sidecar } from "../Sidecar.ts"

/** How a host ends a sidecar that has only just been started. */
const ends = ["SIGTERM", "SIGINT", "end of input"] as const

/**
 * Ends a sidecar in each of the ways after each of the delays from its start, in milliseconds. Once the first line of
 * ours has run it exits 0 and leaves nothing; before, there is only Node, and a signal ends that.
 */
export const signals = async (delays: ReadonlyArray<number>): Promise<ReadonlyArray<Figure>> => {
  const beforeUs: Array<number> = []
  const faults: Array<string> = []
  using dir = new StateDir()
  for (const end of ends) {
    for (const delay of delays) {
      using sidecar = new Sidecar(dir)
      await sleep(delay)
      // Node itself catches the other two, and ends of them all the same.
      const hasBegun = catches(sidecar.pid, "SIGHUP")
      if (end === "end of input") sidecar.child.stdin.end()
      else sidecar.child.kill(end)
      const { code, signal } = await sidecar.exited
      if (signal === end && !hasBegun) beforeUs.push(delay)
      else if (code !== 0) faults.push(`${end} after ${delay} ms: ${signal ?? code}`)
      const { frames, noise, stderr } = sidecar
      if (stderr !== "" || frames.length > 0 || noise.length > 0) {
        faults.push(`${end} after ${delay} ms: ${stderr} ${JSON.stringify(frames)} ${noise.join()}`)
      }
    }
  }
  Assert.deepEqual(faults, [])
  Assert.ok(!Fs.existsSync(Path.join(dir.path, "sidecar.sqlite")))
  return [
    { name: "ended in the start of the process", value: delays.length * ends.length, unit: ends.join(", ") },
    { name: "  by the signal, before Node ran us", value: beforeUs.length, unit: "" },
    { name: "  the last of these", value: Math.max(0, ...beforeUs), unit: "ms after the start" }
  ]
}
