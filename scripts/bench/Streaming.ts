import * as Http from "node:http"
import {
  answerOf,
  type Bench,
  interleave,
  quantile,
  type Row,
  rounds,
  spawnBare,
  spawnSidecar,
  startSession,
  turn
} from "./Bench.ts"
import { framesOf, type Read, type Wire } from "./Wire.ts"

const burst = 20_000
const paced = 400

/** How fast tokens pass through, and how long one is on its way. */
export const streaming = async (bench: Bench): Promise<ReadonlyArray<Row>> => {
  const rates = await interleave(rounds(bench, 7), {
    ours: async () => {
      const wire = spawnSidecar(bench)
      const sessionId = await startSession(wire, bench)
      const result = await rate(wire, sessionId, throughSidecar)
      await wire.end()
      return result
    },
    bare: async () => {
      const wire = spawnBare(bench)
      const result = await rate(wire, "", () => burst * 5)
      await wire.end()
      return result
    }
  })

  const ours: Array<number> = []
  const bare: Array<number> = []
  const direct: Array<number> = []
  // Once for nothing: the first way is a cold one.
  await directDelays(bench)
  for (let round = 0; round < rounds(bench, 3); round++) {
    const wire = spawnSidecar(bench)
    ours.push(...(await delays(wire, await startSession(wire, bench), "assistant_delta")))
    bare.push(...(await delays(spawnBare(bench), "", "token")))
    direct.push(...(await directDelays(bench)))
  }
  const addedRow = (name: string, part: number, most: number): Row => {
    const addedBy = (ways: ReadonlyArray<number>) => quantile(ways, part) - quantile(direct, part)
    return {
      name: `added to a token's way, ${name}`,
      unit: "ms",
      value: addedBy(ours),
      beside: { name: "bare Node passing it on", value: addedBy(bare) },
      aims: [{ of: "value", most }]
    }
  }
  return [
    {
      name: "20,000 tokens in one answer",
      unit: "/s",
      value: rates.ours,
      beside: { name: "bare Node reading the stream", value: rates.bare },
      aims: [
        { of: "value", least: 100_000 },
        { of: "ratio", least: 0.25 }
      ]
    },
    addedRow("p50", 0.5, 0.25),
    addedRow("p99", 0.99, 1.2)
  ]
}

/** Tokens a second; of the second answer, when the code is warm. */
const rate = async (wire: Wire, sessionId: string, lengthOf: (wire: Wire) => number): Promise<number> => {
  await turn(wire, "a", sessionId, `[[tokens ${burst} every 0]]`)
  wire.take()
  const took = await turn(wire, "b", sessionId, `[[tokens ${burst} every 0]]`)
  const length = lengthOf(wire)
  if (length !== burst * 5) throw new Error(`${length} of ${burst * 5} characters arrived`)
  return burst / (took / 1000)
}

const throughSidecar = (wire: Wire): number =>
  framesOf(wire.take())
    .filter(({ type }) => type === "assistant_delta")
    .reduce((length, { payload }) => length + (payload.text?.length ?? 0), 0)

/** From the server's write to our read, in milliseconds, of each token of a paced answer. */
const delays = async (wire: Wire, sessionId: string, sign: string): Promise<ReadonlyArray<number>> => {
  await turn(wire, "a", sessionId, "[[tokens 50 every 2]]")
  answerOf(wire)
  await turn(wire, "b", sessionId, `[[tokens ${paced} every 4]]`)
  const reads = wire.take()
  await wire.end()
  return waysOf(reads, sign)
}

const directDelays = (bench: Bench): Promise<ReadonlyArray<number>> =>
  new Promise((resolve, reject) => {
    const reads: Array<Read> = []
    const body = JSON.stringify({ messages: [{ role: "user", content: `[[tokens ${paced} every 4]]` }], stream: true })
    const options = { port: bench.port, path: "/v1/chat/completions", method: "POST" }
    Http.request(options, (response) => {
      response.on("data", (bytes: Buffer) =>
        reads.push({ at: performance.now(), clock: process.hrtime.bigint(), bytes })
      )
      response.on("end", () => resolve(waysOf(reads, "content")))
    })
      .on("error", reject)
      .end(body)
  })

/** Each token's text is the moment of its sending; a read may hold several, merged or not. */
const waysOf = (reads: ReadonlyArray<Read>, only: string): ReadonlyArray<number> =>
  reads.flatMap(({ clock, bytes }) =>
    bytes
      .toString("utf8")
      .split("\n")
      .filter((line) => line.includes(`"${only}"`))
      .flatMap((line) => [...line.matchAll(/ (\d{9,})/g)])
      .map(([, sent = "0"]) => Number(clock - BigInt(sent)) / 1e6)
  )
