import * as Assert from "node:assert/strict"
import type { Figure } from "../Figure.ts"
import { Sidecar } from "../Sidecar.ts"
import { scriptedDir } from "./ScriptedDir.ts"

/** Resident memory may grow by so much from the first round to the second, and from there to the last, in MiB. */
const mostGrowth = 60

/** So many messages in one write, round after round: each is answered, in order, and memory stays as it is. */
export const queue = async (messages: number, rounds: number): Promise<ReadonlyArray<Figure>> => {
  using dir = scriptedDir()
  using sidecar = new Sidecar(dir)
  const memory: Array<number> = []
  let seconds = 0
  await sidecar.request("ping")
  for (let round = 0; round < rounds; round++) {
    // Each round in a session of its own: what grows with a history is another matter.
    const sessionId = await sidecar.session()
    const from = performance.now()
    const ids = Array.from({ length: messages }, (_, index) =>
      sidecar.post("send_message", { sessionId, text: `message ${index}` })
    )
    await sidecar.response(ids.at(-1) ?? "")
    seconds = (performance.now() - from) / 1000
    memory.push(sidecar.residentMiB)
    const sent = new Set(ids)
    const order = sidecar.frames.flatMap((frame) => {
      if (frame.kind === "response") return sent.has(frame.correlationId) ? [frame.correlationId] : []
      return frame.type === "user_message" && frame.payload.sessionId === sessionId ? [frame.payload.text] : []
    })
    Assert.deepEqual(
      order,
      ids.flatMap((id, index) => [`message ${index}`, id])
    )
  }
  await sidecar.end()
  const [first = 0, second = 0] = memory
  const last = memory.at(-1) ?? 0
  Assert.ok(Math.max(second - first, last - second) < mostGrowth, `resident memory in MiB: ${memory.join()}`)
  return [
    { name: "messages in one write, answered in order", value: messages, unit: `${rounds} times` },
    { name: "  time for all of them, last round", value: seconds, unit: "s" },
    { name: "  resident memory after the first round", value: first, unit: "MiB" },
    { name: "  resident memory after the last round", value: last, unit: "MiB" }
  ]
}
