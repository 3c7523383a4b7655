import * as Http from "node:http"
import type { Experiment } from "./Experiment.ts"
import { quantile } from "./Statistics.ts"
import { bareClient, type Bench, startSession, takeResponse, turn } from "./Subject.ts"
import { framesOf, type Read } from "./Wire.ts"

const burst = 20_000
const warming = "[[tokens 50 every 2]]"
const paced = "[[tokens 400 every 4]]"
const passingOn = { name: "bare Node passing it on" }

/** How fast tokens pass through, and how long one is on its way. */
export const streaming: ReadonlyArray<Experiment> = [
  {
    rounds: 7,
    limit: bareClient,
    measure: async (spawn, bench) => {
      const wire = spawn(bench)
      const sessionId = await startSession(wire, bench)
      const text = `[[tokens ${burst} every 0]]`
      // The second answer is measured: the code is warm then.
      await turn(wire, "a", sessionId, text)
      wire.take()
      const took = await turn(wire, "b", sessionId, text)
      const length = lengthOf(wire.take())
      if (length !== burst * 5) throw new Error(`${length} of ${burst * 5} characters arrived`)
      await wire.end()
      return { rate: burst / (took / 1000) }
    },
    rows: [
      {
        name: "20,000 tokens in one answer",
        unit: "/s",
        figure: "rate",
        beside: { name: "bare Node reading the stream" },
        aims: [
          { of: "value", least: 100_000 },
          { of: "ratio", least: 0.25 }
        ]
      }
    ]
  },
  {
    rounds: 5,
    limit: bareClient,
    measure: async (spawn, bench) => {
      const wire = spawn(bench)
      const sessionId = await startSession(wire, bench)
      await turn(wire, "a", sessionId, warming)
      takeResponse(wire)
      await turn(wire, "b", sessionId, paced)
      const through = delaysOf(wire.take(), "assistant_delta")
      await wire.end()
      await readStream(bench, warming)
      const direct = delaysOf(await readStream(bench, paced), "content")
      const added = (part: number) => quantile(through, part) - quantile(direct, part)
      return { p50: added(0.5), p99: added(0.99) }
    },
    rows: [
      {
        name: "added to a token's way, p50",
        unit: "ms",
        figure: "p50",
        beside: passingOn,
        aims: [{ of: "value", most: 0.25 }]
      },
      {
        name: "added to a token's way, p99",
        unit: "ms",
        figure: "p99",
        beside: passingOn,
        aims: [{ of: "value", most: 1.2 }]
      }
    ]
  }
]

/** How many characters of an answer arrived: in its deltas, or as the response of bare Node counts them. */
const lengthOf = (reads: ReadonlyArray<Read>): number =>
  framesOf(reads)
    .filter(({ type, kind }) => type === "assistant_delta" || kind === "response")
    .reduce((sum, { payload }) => sum + (payload.text?.length ?? payload.length ?? 0), 0)

/** What a client with nothing in between reads of an answer. */
const readStream = (bench: Bench, content: string): Promise<ReadonlyArray<Read>> =>
  new Promise((resolve, reject) => {
    const reads: Array<Read> = []
    const options = { port: bench.port, path: "/v1/chat/completions", method: "POST" }
    Http.request(options, (response) => {
      response.on("data", (bytes: Buffer) =>
        reads.push({ at: performance.now(), clock: process.hrtime.bigint(), bytes })
      )
      response.on("end", () => resolve(reads))
    })
      .on("error", reject)
      .end(JSON.stringify({ messages: [{ role: "user", content }], stream: true }))
  })

/**
 * From the server's write to our read, in milliseconds, of each token of an answer. A token's text is the moment of its
 * sending; a read may hold several, merged or not, on lines that contain `sign`.
 */
const delaysOf = (reads: ReadonlyArray<Read>, sign: string): ReadonlyArray<number> =>
  reads.flatMap(({ clock, bytes }) =>
    bytes
      .toString("utf8")
      .split("\n")
      .filter((line) => line.includes(`"${sign}"`))
      .flatMap((line) => [...line.matchAll(/ (\d{9,})/g)])
      .map(([, sent = "0"]) => Number(clock - BigInt(sent)) / 1e6)
  )
