import { once } from "node:events"
import { assert } from "@effect/vitest"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../../test/support/Bin.ts"
import type { Figure } from "./Figure.ts"
import { processorMs, until } from "./Processes.ts"

/** Closes all three pipes while words stream: the sidecar ends, and does next to nothing until then. */
export const brokenPipes = async (): Promise<ReadonlyArray<Figure>> => {
  const tokens = Array.from({ length: 20_000 }, (_, index) => `${index} `)
  const server = await LlamaServer.start({ answer: LlamaAnswers.say({ tokens }, { pieceDelayMs: 1 }) })
  using dir = new StateDir({ localModels: { url: server.url } })
  using bin = new Bin(dir)
  try {
    const sessionId = await bin.session()
    bin.post("send_message", { sessionId, text: "go" })
    await bin.event("assistant_delta", (frame) => frame.payload.text.includes("50 "))
    const exited = once(bin.child, "exit")
    const before = processorMs(bin.pid) ?? 0
    let used = 0
    for (const pipe of [bin.child.stdin, bin.child.stdout, bin.child.stderr]) pipe.destroy()
    const gone = await until(() => {
      used = Math.max(used, (processorMs(bin.pid) ?? 0) - before)
      return bin.child.exitCode !== null || bin.child.signalCode !== null
    }, 10_000)
    assert.isDefined(gone, "the sidecar is still there")
    const [code] = await exited
    assert.strictEqual(code, 0)
    assert.isBelow(gone, 3000)
    assert.isBelow(used, 500)
    return [
      { name: "all three pipes closed: gone after", value: gone, unit: "ms" },
      { name: "  processor time it still used", value: used, unit: "ms" }
    ]
  } finally {
    await server.stop()
  }
}
