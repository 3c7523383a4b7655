import * as Assert from "node:assert/strict"
import * as LlamaAnswers from "../../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../../src/testing/LlamaServer.ts"
import { processorMs, until } from "../../../src/testing/Processes.ts"
import { StateDir } from "../../../src/testing/StateDir.ts"
import type { Figure } from "../Figure.ts"
import { Sidecar } from "../Sidecar.ts"

/** Closes all three pipes while words stream: the sidecar ends, and does next to nothing until then. */
export const pipes = async (): Promise<ReadonlyArray<Figure>> => {
  const tokens = Array.from({ length: 20_000 }, (_, index) => `${index} `)
  const server = await LlamaServer.start({ answer: LlamaAnswers.say({ tokens }, { pieceDelayMs: 1 }) })
  using dir = new StateDir({ localModels: { url: server.url } })
  using sidecar = new Sidecar(dir)
  try {
    const sessionId = await sidecar.session()
    sidecar.post("send_message", { sessionId, text: "go" })
    await sidecar.event("assistant_delta", (frame) => frame.payload.text.includes("50 "))
    const before = processorMs(sidecar.pid) ?? 0
    let used = 0
    for (const pipe of [sidecar.child.stdin, sidecar.child.stdout, sidecar.child.stderr]) pipe.destroy()
    const tookMs = await until(() => {
      used = Math.max(used, (processorMs(sidecar.pid) ?? 0) - before)
      return sidecar.hasExited
    }, 10_000)
    Assert.ok(tookMs !== undefined && tookMs < 3000, `it took ${tookMs} ms to end`)
    Assert.equal(sidecar.child.exitCode, 0)
    Assert.ok(used < 500, `it used ${used} ms of processor time to end`)
    return [
      { name: "all three pipes closed: gone after", value: tookMs, unit: "ms" },
      { name: "  processor time it still used", value: used, unit: "ms" }
    ]
  } finally {
    await server.stop()
  }
}
