import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import { answerOf, type Bench, interleave, type Row, rounds, spawnSidecar, startSession, turn } from "./Bench.ts"
import { Wire } from "./Wire.ts"

const answersALine = `process.stdin.on("data", () => process.stdout.write("{}\\n"))`
const bareNode = `node -e answering a line`

/** From `spawn` to the first answer, and what the process weighs then. */
export const start = async (bench: Bench): Promise<ReadonlyArray<Row>> => {
  const bareLine = async () => {
    const wire = new Wire(["-e", answersALine])
    const arrived = wire.until("{}")
    wire.write("{}\n")
    const took = (await arrived) - wire.spawnedAt
    await wire.end()
    return took
  }
  const ping = (executable?: string) => async () => {
    const wire = spawnSidecar(bench, executable)
    const took = (await wire.call("1", "ping", {})) - wire.spawnedAt
    answerOf(wire)
    await wire.end()
    return took
  }
  const reply = async () => {
    const wire = spawnSidecar(bench)
    const sessionId = await startSession(wire, bench)
    await turn(wire, "2", sessionId, "[[tokens 1 every 0]]")
    const took = performance.now() - wire.spawnedAt
    answerOf(wire)
    await wire.end()
    return took
  }
  const times = await interleave(rounds(bench, 15), {
    bareLine,
    ping: ping(),
    reply,
    executable: ping(bench.executable)
  })

  const bareMemory = async () => {
    const wire = new Wire(["-e", answersALine])
    const arrived = wire.until("{}")
    wire.write("{}\n")
    await arrived
    return restingMemory(wire)
  }
  const memory = async () => {
    const wire = spawnSidecar(bench)
    await startSession(wire, bench)
    return restingMemory(wire)
  }
  const weights = await interleave(rounds(bench, 5), { bareMemory, memory })

  const beside = { name: bareNode, value: times.bareLine }
  return [
    { name: "spawn → ping answered", unit: "ms", value: times.ping, beside, aims: [{ of: "ratio", most: 1.8 }] },
    ...(bench.executable === undefined
      ? []
      : [
          {
            name: "spawn → ping answered, single executable",
            unit: "ms",
            value: times.executable,
            beside: { name: "the bin", value: times.ping },
            aims: [{ of: "ratio" as const, most: 1 }]
          }
        ]),
    { name: "spawn → first turn answered", unit: "ms", value: times.reply, beside, aims: [{ of: "ratio", most: 3 }] },
    {
      name: "resident after start_session",
      unit: "MiB",
      value: weights.memory,
      beside: { name: bareNode, value: weights.bareMemory },
      aims: [
        { of: "value", most: 80 },
        { of: "ratio", most: 2 }
      ]
    }
  ]
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
