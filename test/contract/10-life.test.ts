import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { type Ending, Lifeline } from "../../src/stdio/Lifeline.ts"
import { stage } from "../support/Sidecar.ts"

/** A lifeline that the test cuts; what it was told of the deadline. */
const held = () => {
  const cut = Deferred.makeUnsafe<Ending>()
  const deadlines: Array<Ending> = []
  const lifeline = Layer.succeed(
    Lifeline,
    Lifeline.of({
      ended: Deferred.await(cut),
      deadline: (ending) => Effect.sync(() => void deadlines.push(ending)),
      remainingMs: Effect.succeed(Infinity)
    })
  )
  return { lifeline, deadlines, cut: (ending: Ending) => Deferred.succeed(cut, ending) }
}

const cancelled = { reason: "cancelled", turnCount: 1, stepCount: 1 }

// The rows that need a process — signals, broken pipes, parents, kill -9, exit codes — are in process.test.ts.
describe("contract 10, life and death", () => {
  it.effect("a signal or a lost parent ends the running turn and those that wait, each with its response", () =>
    Effect.gen(function* () {
      const { cut, deadlines, lifeline } = held()
      const { host, model, send, session } = yield* stage({ lifeline })
      const sessionId = yield* session
      const sent = yield* Effect.forEach(["a", "b"], (text) => Effect.forkChild(send(sessionId, text)))
      const call = yield* model.next
      yield* cut({ why: "SIGTERM", lateExitCode: 143 })
      yield* call.interrupted
      assert.deepStrictEqual(yield* Fiber.joinAll(sent), [cancelled, cancelled])
      yield* host.ended
      assert.deepStrictEqual(deadlines, [{ why: "SIGTERM", lateExitCode: 143 }])
    })
  )

  it.effect("the end of the input has three seconds and exit code 0, like a shutdown", () =>
    Effect.gen(function* () {
      for (const way of ["end", "shutdown"] as const) {
        const { deadlines, lifeline } = held()
        const { host, session } = yield* stage({ lifeline })
        yield* session
        yield* way === "end" ? host.end : host.request("shutdown")
        yield* host.ended
        assert.deepStrictEqual(
          deadlines.map(({ lateExitCode }) => lateExitCode),
          [0]
        )
      }
    })
  )

  it.effect("what comes once the end has begun is refused", () =>
    Effect.gen(function* () {
      const { cut, lifeline } = held()
      const config = { sidecar: { outputBufferBytes: 1024 } }
      const { host, model, send, session } = yield* stage({ lifeline, config })
      const sessionId = yield* session
      const sent = yield* Effect.forkChild(send(sessionId, "a"))
      const call = yield* model.next
      // The turn cannot tell its end while nobody reads, so the sidecar is still there when the ping comes.
      yield* host.stdio.reading.close
      call.say("x".repeat(5000))
      yield* call.taken
      yield* cut({ why: "SIGINT", lateExitCode: 130 })
      yield* Effect.yieldNow
      const late = yield* Effect.forkChild(host.request("ping"))
      yield* host.stdio.reading.open
      assert.deepStrictEqual(yield* Fiber.join(sent), cancelled)
      const refused = yield* Fiber.join(late)
      assert.strictEqual(refused.ok ? "ok" : refused.error.message, "shutting down")
    })
  )
})
