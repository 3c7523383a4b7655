import { assert } from "@effect/vitest"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../../test/support/Bin.ts"
import { type Figure, quantile } from "./Figure.ts"

/** A turn of about 60 ms: a head that is waited for, words, a tool, more words. */
const answers = (index: number) =>
  index % 2 === 0
    ? LlamaAnswers.say(
        { reasoning: "well", text: "I will look.", toolCalls: [{ name: "fs_list", arguments: { path: "scripts" } }] },
        { headDelayMs: 6, pieceDelayMs: 2 }
      )
    : LlamaAnswers.say({ text: "This is what there is to be seen." }, { headDelayMs: 6, pieceDelayMs: 2 })

/**
 * Cancels a turn after each of the delays, in milliseconds, over a real pipe and a real connection: it ends once, and the
 * next turn works.
 */
export const delays = async (all: ReadonlyArray<number>): Promise<ReadonlyArray<Figure>> => {
  const server = await LlamaServer.start()
  using dir = new StateDir({ localModels: { url: server.url } })
  using bin = new Bin(dir)
  try {
    const sessionId = await bin.session()
    const reasons = new Map<string, number>()
    const took: Array<number> = []
    for (const delay of all) {
      let index = 0
      server.answer(() => answers(index++))
      const sent = bin.post("send_message", { sessionId, text: `cancelled after ${delay} ms` })
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
      const from = performance.now()
      const cancel = await bin.request("cancel", { sessionId })
      took.push(performance.now() - from)
      const { payload } = await bin.response(sent)
      const { reason } = payload as { reason: string }
      assert.include(["cancelled", "reply"], reason)
      assert.deepStrictEqual(cancel.payload, { cancelled: true, turns: reason === "cancelled" ? 1 : 0 })
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      server.answer(LlamaAnswers.say({ text: "Here I am again." }))
      const next = await bin.request("send_message", { sessionId, text: "and now?" })
      assert.deepInclude(next.payload, { reason: "reply" }, `after a cancel at ${delay} ms`)
    }
    await bin.end()
    return [
      { name: "cancels, each delay once", value: all.length, unit: `at 0 to ${Math.max(...all)} ms` },
      { name: "  turns that were cancelled", value: reasons.get("cancelled") ?? 0, unit: "" },
      { name: "  turns that had replied before", value: reasons.get("reply") ?? 0, unit: "" },
      { name: "  from cancel to its response, p50", value: quantile(took, 0.5), unit: "ms" },
      { name: "  from cancel to its response, most", value: Math.max(...took), unit: "ms" }
    ]
  } finally {
    await server.stop()
  }
}
