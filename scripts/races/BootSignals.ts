import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert } from "@effect/vitest"
import { Bin, StateDir } from "../../test/support/Bin.ts"
import type { Figure } from "./Figure.ts"
import { catches } from "./Processes.ts"

/** How the host ends a sidecar that has only just been started. */
export const ways = ["SIGTERM", "SIGINT", "end of input"] as const

/**
 * Ends a sidecar in each of the ways after each of the delays from its start, in milliseconds. From the moment that the
 * first line of ours has run it exits 0 and leaves nothing; before, there is only Node, and a signal ends that.
 */
export const bootSignals = async (delays: ReadonlyArray<number>): Promise<ReadonlyArray<Figure>> => {
  const beforeUs: Array<number> = []
  const faults: Array<string> = []
  using dir = new StateDir()
  for (const way of ways) {
    for (const delay of delays) {
      using bin = new Bin(dir)
      await new Promise((resolve) => setTimeout(resolve, delay))
      // Node itself catches the other two, and ends of them all the same.
      const hasBegun = catches(bin.pid, "SIGHUP")
      if (way === "end of input") bin.child.stdin.end()
      else bin.child.kill(way)
      const { code, signal } = await bin.exited
      if (signal === way && !hasBegun) beforeUs.push(delay)
      else if (code !== 0) faults.push(`${way} after ${delay} ms: ${signal ?? code}`)
      if (bin.stderr !== "" || bin.frames.length > 0 || bin.noise.length > 0) {
        faults.push(`${way} after ${delay} ms: ${bin.stderr} ${JSON.stringify(bin.frames)} ${bin.noise.join()}`)
      }
    }
  }
  assert.deepStrictEqual(faults, [])
  assert.isFalse(Fs.existsSync(Path.join(dir.path, "sidecar.sqlite")))
  return [
    { name: "ended in the start of the process", value: delays.length * ways.length, unit: `${ways.join(", ")}` },
    { name: "  by the signal, before Node ran us", value: beforeUs.length, unit: "" },
    { name: "  the last of these", value: Math.max(0, ...beforeUs), unit: "ms after the start" }
  ]
}
