import {
  answerOf,
  type Bench,
  interleave,
  median,
  type Row,
  rounds,
  spawnBare,
  spawnSidecar,
  startSession,
  turn
} from "./Bench.ts"
import type { Wire } from "./Wire.ts"

const turns = 1010

/** What a turn costs beside the model's work, whether that grows, and how soon a cancel is done. */
export const turnsAndCancel = async (bench: Bench): Promise<ReadonlyArray<Row>> => {
  const ours: Array<ReadonlyArray<number>> = []
  const bare: Array<ReadonlyArray<number>> = []
  for (let round = 0; round < rounds(bench, 3); round++) {
    bare.push(await play(spawnBare(bench), ""))
    const wire = spawnSidecar(bench)
    ours.push(await play(wire, await startSession(wire, bench)))
  }
  const around = (all: ReadonlyArray<ReadonlyArray<number>>, from: number, to: number) =>
    median(all.map((times) => median(times.slice(from - 1, to))))

  const cancels = await interleave(rounds(bench, 3), {
    ours: async () => {
      const wire = spawnSidecar(bench)
      return cancelTime(wire, await startSession(wire, bench), "assistant_delta")
    },
    bare: () => cancelTime(spawnBare(bench), "", "token")
  })

  const grows = (name: string, value: number, then: string, before: number, most: number): Row => ({
    name,
    unit: "ms",
    value,
    beside: { name: then, value: before },
    aims: [{ of: "ratio", most }]
  })
  const tenth = around(ours, 5, 15)
  return [
    {
      name: "a turn of one token",
      unit: "ms",
      value: around(ours, 51, turns),
      beside: { name: "bare Node asking the model", value: around(bare, 51, turns) },
      aims: [{ of: "value", most: 2 }]
    },
    grows("turns 151–200", around(ours, 151, 200), "turns 1–50", around(ours, 1, 50), 1.1),
    grows("around the 100th turn", around(ours, 90, 110), "around the 10th turn", tenth, 1.1),
    grows("around the 1,000th turn", around(ours, 990, 1010), "around the 10th turn", tenth, 1.1),
    {
      name: "cancel → turn's end",
      unit: "ms",
      value: cancels.ours,
      beside: { name: "bare Node dropping the stream", value: cancels.bare },
      aims: [{ of: "value", most: 1.5 }]
    },
    {
      name: "first request, before the user's words",
      unit: "KiB",
      value: await firstRequest(bench),
      aims: [{ of: "value", most: 6 }]
    }
  ]
}

const play = async (wire: Wire, sessionId: string): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  for (let index = 0; index < turns; index++) {
    times.push(await turn(wire, `t${index}`, sessionId, "[[tokens 1 every 0]]"))
    answerOf(wire)
  }
  await wire.end()
  return times
}

/** The median time from writing a cancel in mid-stream to the turn's response, in milliseconds. */
const cancelTime = async (wire: Wire, sessionId: string, sign: string): Promise<number> => {
  const times: Array<number> = []
  for (let index = 0; index < 30; index++) {
    const streaming = wire.until(sign)
    wire.write(
      `${JSON.stringify({ kind: "request", id: `m${index}`, type: "send_message", payload: { sessionId, text: "[[tokens 100000 every 1]]" } })}\n`
    )
    await streaming
    // A few tokens more: in mid-stream, not at its edge.
    await wire.until(sign)
    const from = performance.now()
    const ended = wire.until(sign === "token" ? `"correlationId":"c${index}"` : `"correlationId":"m${index}"`)
    wire.write(`${JSON.stringify({ kind: "request", id: `c${index}`, type: "cancel", payload: { sessionId } })}\n`)
    times.push((await ended) - from)
    await wire.call(`p${index}`, "ping", {})
    wire.take()
  }
  await wire.end()
  return median(times)
}

/** What is sent to the model beside the user's words, in KiB. */
const firstRequest = async (bench: Bench): Promise<number> => {
  const wire = spawnSidecar(bench)
  const sessionId = await startSession(wire, bench)
  const text = "[[tokens 1 every 0]]"
  await turn(wire, "1", sessionId, text)
  answerOf(wire)
  await wire.end()
  const response = await fetch(`http://127.0.0.1:${bench.port}/bench/newest`)
  const { body } = (await response.json()) as { readonly body: string }
  return (Buffer.byteLength(body) - text.length) / 1024
}
