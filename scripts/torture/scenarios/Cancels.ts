import * as Assert from "node:assert/strict"
import { setTimeout as sleep } from "node:timers/promises"
import * as LlamaAnswers from "../../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../../src/testing/LlamaServer.ts"
import { StateDir } from "../../../src/testing/StateDir.ts"
import { type Figure, quantile } from "../Figure.ts"
import { Sidecar } from "../Sidecar.ts"

const paces = { headDelayMs: 6, pieceDelayMs: 2 }

/** A turn of about 60 ms: a head that is waited for, words, a tool, more words. */
const answers = [
  LlamaAnswers.say(
    { reasoning: "well", text: "I look.", toolCalls: [{ name: "fs_list", arguments: { path: "scripts" } }] },
    paces
  ),
  LlamaAnswers.say({ text: "This is what there is to be seen." }, paces)
]

/** Cancels a turn after each of the delays, in milliseconds: it ends once, and the next turn works. */
export const cancels = async (delays: ReadonlyArray<number>): Promise<ReadonlyArray<Figure>> => {
  const server = await LlamaServer.start()
  using dir = new StateDir({ localModels: { url: server.url } })
  using sidecar = new Sidecar(dir)
  try {
    const sessionId = await sidecar.session()
    const took: Array<number> = []
    let cancelled = 0
    for (const delay of delays) {
      let index = 0
      server.answer(() => answers[index++ % 2]!)
      const sent = sidecar.post("send_message", { sessionId, text: `cancelled after ${delay} ms` })
      if (delay > 0) await sleep(delay)
      const from = performance.now()
      const cancel = await sidecar.request("cancel", { sessionId })
      took.push(performance.now() - from)
      const { reason } = (await sidecar.response(sent)).payload as { readonly reason: string }
      Assert.match(reason, /^(cancelled|reply)$/)
      const turns = reason === "cancelled" ? 1 : 0
      Assert.deepEqual(cancel.payload, { cancelled: true, turns })
      cancelled += turns
      server.answer(LlamaAnswers.say({ text: "Here I am again." }))
      const next = await sidecar.request("send_message", { sessionId, text: "and now?" })
      Assert.partialDeepStrictEqual(next.payload, { reason: "reply" }, `after a cancel at ${delay} ms`)
    }
    await sidecar.end()
    return [
      { name: "cancels, each delay once", value: delays.length, unit: `at 0 to ${Math.max(...delays)} ms` },
      { name: "  turns that were cancelled", value: cancelled, unit: "" },
      { name: "  turns that had replied before", value: delays.length - cancelled, unit: "" },
      { name: "  from cancel to its response, p50", value: quantile(took, 0.5), unit: "ms" },
      { name: "  from cancel to its response, most", value: Math.max(...took), unit: "ms" }
    ]
  } finally {
    await server.stop()
  }
}
