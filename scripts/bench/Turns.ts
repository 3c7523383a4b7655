import type { Experiment } from "./Experiment.ts"
import { median } from "./Statistics.ts"
import { bareClient, startSession, takeResponse, turn } from "./Subject.ts"
import { requestLine } from "./Wire.ts"

const turns = 1010
const text = "[[tokens 1 every 0]]"
const asking = { name: "bare Node asking the model" }
const asTenth = { name: "around the 10th turn", figure: "tenth" }

/** What a turn costs beside the model's work, whether that grows, and how soon a cancel is done. */
export const turnsAndCancel: ReadonlyArray<Experiment> = [
  {
    rounds: 5,
    limit: bareClient,
    measure: async (spawn, bench) => {
      const wire = spawn(bench)
      const sessionId = await startSession(wire, bench)
      const times: Array<number> = []
      for (let index = 0; index < turns; index++) {
        times.push(await turn(wire, `t${index}`, sessionId, text))
        takeResponse(wire)
      }
      await wire.end()
      const over = (from: number, to: number) => median(times.slice(from - 1, to))
      return {
        all: over(51, turns),
        first: over(1, 50),
        fourth: over(151, 200),
        tenth: over(5, 15),
        hundredth: over(90, 110),
        thousandth: over(990, 1010)
      }
    },
    rows: [
      { name: "a turn of one token", unit: "ms", figure: "all", beside: asking, aims: [{ of: "value", most: 2 }] },
      { name: "turns 1–50", unit: "ms", figure: "first", beside: asking, aims: [] },
      {
        name: "turns 151–200",
        unit: "ms",
        figure: "fourth",
        beside: { name: "turns 1–50", figure: "first" },
        aims: [{ of: "ratio", most: 1.1 }]
      },
      {
        name: "around the 100th turn",
        unit: "ms",
        figure: "hundredth",
        beside: asTenth,
        aims: [{ of: "ratio", most: 1.1 }]
      },
      {
        name: "around the 1,000th turn",
        unit: "ms",
        figure: "thousandth",
        beside: asTenth,
        aims: [{ of: "ratio", most: 1.1 }]
      }
    ]
  },
  {
    rounds: 3,
    limit: bareClient,
    measure: async (spawn, bench) => {
      const wire = spawn(bench)
      const sessionId = await startSession(wire, bench)
      const times: Array<number> = []
      for (let index = 0; index < 30; index++) {
        const streams = wire.until("assistant_delta")
        wire.write(requestLine(`m${index}`, "send_message", { sessionId, text: "[[tokens 100000 every 1]]" }))
        await streams
        // A few tokens more: in mid-stream, not at its edge.
        await wire.until("assistant_delta")
        const ended = wire.until(`"correlationId":"m${index}"`)
        const from = performance.now()
        wire.write(requestLine(`c${index}`, "cancel", { sessionId }))
        times.push((await ended) - from)
        await wire.call(`p${index}`, "ping", {})
        wire.take()
      }
      await wire.end()
      return { cancel: median(times) }
    },
    rows: [
      {
        name: "cancel → turn's end",
        unit: "ms",
        figure: "cancel",
        beside: { name: "bare Node dropping the stream" },
        aims: [{ of: "value", most: 1.5 }]
      }
    ]
  },
  {
    rounds: 1,
    measure: async (spawn, bench) => {
      const wire = spawn(bench)
      await turn(wire, "1", await startSession(wire, bench), text)
      takeResponse(wire)
      await wire.end()
      const response = await fetch(`http://127.0.0.1:${bench.port}/bench/newest`)
      const { body } = (await response.json()) as { readonly body: string }
      return { size: (Buffer.byteLength(body) - text.length) / 1024 }
    },
    rows: [
      {
        name: "first request, before the user's words",
        unit: "KiB",
        figure: "size",
        aims: [{ of: "value", most: 6 }]
      }
    ]
  }
]
