import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { isAlive as lives, until } from "../../src/testing/Processes.ts"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { stage } from "../support/Sidecar.ts"

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

  it.live("is gone after a cancel though it is deaf to TERM", () =>
    Effect.gen(function* () {
      const { host, model, send, session } = yield* stage({ config: { agent: { approvalLevel: 5 } } })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("shell.run", { command: "(trap '' TERM; exec sleep 600) & echo pid $!" })])
      const { history } = (yield* model.next).request
      const pid = Number(/pid (\d+)/.exec((history.at(-1) as { summary: string }).summary)?.[1])
      assert.isTrue(lives(pid))
      yield* host.request("cancel", { sessionId })
      yield* Fiber.join(sent)
      // A signal of ours has been sent by then; the kernel may need a moment to carry it out.
      yield* Effect.promise(() => until(() => !lives(pid), 10_000))
      assert.isFalse(lives(pid))
    })
  )
})
