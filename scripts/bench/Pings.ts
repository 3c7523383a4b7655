import type { Experiment } from "./Experiment.ts"
import { median } from "./Statistics.ts"
import { bareClient, type Bench, type Spawn } from "./Subject.ts"
import { framesOf, requestLine, type Wire } from "./Wire.ts"

const pipelined = 20_000
const oneByOne = 2000
const beside = { name: "bare Node echoing JSON" }

/** Requests one after another, and all at once. */
export const pings: ReadonlyArray<Experiment> = [
  {
    rounds: 5,
    limit: bareClient,
    measure: async (spawn, bench) => ({ trip: await withWarm(spawn, bench, roundTrip) }),
    rows: [{ name: "one ping's round trip", unit: "ms", figure: "trip", beside, aims: [] }]
  },
  {
    rounds: 7,
    limit: bareClient,
    measure: async (spawn, bench) => ({ rate: await withWarm(spawn, bench, rate) }),
    rows: [
      {
        name: "20,000 pipelined pings",
        unit: "/s",
        figure: "rate",
        beside,
        aims: [{ of: "value", least: 120_000 }]
      }
    ]
  }
]

/** Measures on a program that has answered once. */
const withWarm = async (spawn: Spawn, bench: Bench, measure: (wire: Wire) => Promise<number>): Promise<number> => {
  const wire = spawn(bench)
  await wire.call("first", "ping", {})
  wire.take()
  const result = await measure(wire)
  await wire.end()
  return result
}

/** The median, in milliseconds. */
const roundTrip = async (wire: Wire): Promise<number> => {
  const times: Array<number> = []
  for (let index = 0; index < oneByOne; index++) {
    const from = performance.now()
    times.push((await wire.call(`r${index}`, "ping", {})) - from)
  }
  wire.take()
  return median(times)
}

/** Answers a second, over all of them in one write; the second time, when the code is warm. */
const rate = async (wire: Wire): Promise<number> => {
  const burst = async (name: string) => {
    const lines = Array.from({ length: pipelined }, (_, index) => requestLine(`${name}${index}`, "ping", {})).join("")
    const arrived = wire.until(`"correlationId":"${name}${pipelined - 1}"`)
    const from = performance.now()
    wire.write(lines)
    const took = (await arrived) - from
    const answered = framesOf(wire.take()).filter(({ kind }) => kind === "response").length
    if (answered !== pipelined) throw new Error(`${answered} of ${pipelined} pings were answered`)
    return took
  }
  await burst("a")
  return pipelined / ((await burst("b")) / 1000)
}
