import { assert } from "@effect/vitest"
import { Bin } from "../../test/support/Bin.ts"
import { type Figure } from "./Figure.ts"
import { scripted } from "./Scripts.ts"

export interface Crowd {
  readonly figures: ReadonlyArray<Figure>
  /** How much resident memory grew from the first round to the last. */
  readonly grownMiB: number
}

/** So many messages in one write, round after round: each is answered, in order, and memory stays as it is. */
export const crowd = async (messages: number, rounds: number): Promise<Crowd> => {
  using dir = scripted()
  using bin = new Bin(dir)
  const took: Array<number> = []
  const memory: Array<number> = []
  await bin.request("ping")
  for (let round = 0; round < rounds; round++) {
    // Each round in a session of its own: what grows with a history is another matter.
    const sessionId = await bin.session()
    const from = performance.now()
    const ids = Array.from({ length: messages }, (_, index) =>
      bin.post("send_message", { sessionId, text: `message ${index}` })
    )
    await bin.response(ids.at(-1) ?? "")
    took.push((performance.now() - from) / 1000)
    memory.push(bin.residentMiB)
    const said = bin.frames.flatMap((frame) => {
      if (frame.kind === "response") return ids.includes(frame.correlationId) ? [frame.correlationId] : []
      return frame.type === "user_message" && frame.payload.sessionId === sessionId ? [frame.payload.text] : []
    })
    assert.deepStrictEqual(
      said,
      ids.flatMap((id, index) => [`message ${index}`, id])
    )
  }
  await bin.end()
  const [first = 0] = memory
  const figures = [
    { name: "messages in one write, answered in order", value: messages, unit: `${rounds} times` },
    { name: "  time for all of them, last round", value: took.at(-1) ?? 0, unit: "s" },
    { name: "  resident memory after the first round", value: first, unit: "MiB" },
    { name: "  resident memory after the last round", value: memory.at(-1) ?? 0, unit: "MiB" }
  ]
  return { figures, grownMiB: (memory.at(-1) ?? 0) - first }
}
