import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import type { Experiment } from "./Experiment.ts"
import { bareNode, type Bench, type Spawn, startSession, takeResponse, turn } from "./Subject.ts"
import type { Wire } from "./Wire.ts"

const beside = { name: "node -e answering lines" }

/** From `spawn` to the first answers, and what the process weighs then. */
export const start: ReadonlyArray<Experiment> = [
  {
    rounds: 15,
    limit: bareNode,
    measure: async (spawn, bench) => ({
      response: await firstResponse(spawn, bench),
      answer: await firstAnswer(spawn, bench)
    }),
    rows: [
      { name: "spawn → ping answered", unit: "ms", figure: "response", beside, aims: [{ of: "ratio", most: 1.8 }] },
      { name: "spawn → first turn answered", unit: "ms", figure: "answer", beside, aims: [{ of: "ratio", most: 3 }] }
    ]
  },
  {
    rounds: 5,
    limit: bareNode,
    measure: async (spawn, bench) => {
      const wire = spawn(bench)
      await startSession(wire, bench)
      return { resident: await restingMemory(wire) }
    },
    rows: [
      {
        name: "resident after start_session",
        unit: "MiB",
        figure: "resident",
        beside,
        aims: [
          { of: "value", most: 80 },
          { of: "ratio", most: 2 }
        ]
      }
    ]
  }
]

/** The single executable's first response, beside that of the bin. */
export const executableStart = (bin: Spawn): Experiment => ({
  rounds: 15,
  limit: bin,
  measure: async (spawn, bench) => ({ response: await firstResponse(spawn, bench) }),
  rows: [
    {
      name: "spawn → ping answered, single executable",
      unit: "ms",
      figure: "response",
      beside: { name: "the bin" },
      aims: [{ of: "ratio", most: 1 }]
    }
  ]
})

const firstResponse = async (spawn: Spawn, bench: Bench): Promise<number> => {
  const wire = spawn(bench)
  const took = (await wire.call("1", "ping", {})) - wire.spawnedAt
  takeResponse(wire)
  await wire.end()
  return took
}

const firstAnswer = async (spawn: Spawn, bench: Bench): Promise<number> => {
  const wire = spawn(bench)
  await turn(wire, "1", await startSession(wire, bench), "[[tokens 1 every 0]]")
  const took = performance.now() - wire.spawnedAt
  takeResponse(wire)
  await wire.end()
  return took
}

/** Resident memory a moment after the last answer, in MiB; ends the process. */
const restingMemory = async (wire: Wire): Promise<number> => {
  await new Promise((resolve) => setTimeout(resolve, 200))
  const kibibytes =
    process.platform === "linux"
      ? /^VmRSS:\s*(\d+)/m.exec(Fs.readFileSync(`/proc/${wire.pid}/status`, "utf8"))?.[1]
      : execFileSync("ps", ["-o", "rss=", "-p", String(wire.pid)], { encoding: "utf8" }).trim()
  await wire.end()
  return Number(kibibytes) / 1024
}
