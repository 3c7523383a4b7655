import { type Bench, interleave, median, type Row, rounds, spawnBare, spawnSidecar } from "./Bench.ts"
import { framesOf, requestLine, type Wire } from "./Wire.ts"

const pipelined = 20_000
const oneByOne = 2000

/** Requests one after another, and all at once. */
export const pings = async (bench: Bench): Promise<ReadonlyArray<Row>> => {
  const withWire = (spawn: (bench: Bench) => Wire, measure: (wire: Wire) => Promise<number>) => async () => {
    const wire = spawn(bench)
    await wire.call("first", "ping", {})
    wire.take()
    const result = await measure(wire)
    await wire.end()
    return result
  }
  const trips = await interleave(rounds(bench, 5), {
    ours: withWire(spawnSidecar, roundTrip),
    bare: withWire(spawnBare, roundTrip)
  })
  const rates = await interleave(rounds(bench, 7), {
    ours: withWire(spawnSidecar, rate),
    bare: withWire(spawnBare, rate)
  })
  return [
    {
      name: "one ping's round trip",
      unit: "ms",
      value: trips.ours,
      beside: { name: "bare Node echoing JSON", value: trips.bare },
      aims: []
    },
    {
      name: "20,000 pipelined pings",
      unit: "/s",
      value: rates.ours,
      beside: { name: "bare Node echoing JSON", value: rates.bare },
      aims: [{ of: "value", least: 120_000 }]
    }
  ]
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
