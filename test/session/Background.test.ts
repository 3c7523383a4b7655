import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { stage } from "../support/Sidecar.ts"

/** Whether a process is there and does anything. */
const lives = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(Fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

describe.runIf(process.platform === "linux")("what a command leaves running in the background", () => {
  it.live.each(["cancel", "start_session", "shutdown"] as const)("is gone after %s, and not before", (way) =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage({ config: { agent: { approvalLevel: 5 } } })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("shell.run", { command: "sleep 600 & echo pid $!" })])
      const next = yield* model.next
      const summary = (next.request.history.at(-1) as { summary: string }).summary
      const pid = Number(/pid (\d+)/.exec(summary)?.[1])
      assert.isTrue(lives(pid), summary)
      yield* host.request(way, { sessionId, workingDir: "." })
      yield* Fiber.join(sent)
      assert.isFalse(lives(pid))
    })
  )
})
