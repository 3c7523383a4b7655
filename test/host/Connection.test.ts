import { PassThrough } from "node:stream"
import { assert, describe, it, vi } from "@effect/vitest"
import { type RequestOutcome, Connection } from "../../src/host/Connection.ts"
import { SidecarGone, type SidecarExit } from "../../src/host/HostError.ts"

/** A connection whose input is closed already; the test decides when and how the sidecar ends. */
const broken = () => {
  const ended = Promise.withResolvers<SidecarExit>()
  const input = new PassThrough()
  input.destroy()
  const pipe = {
    pid: 1,
    input,
    output: new PassThrough(),
    ended: ended.promise,
    terminate: () => {},
    kill: () => {}
  }
  const nothing = () => {}
  const listener = { onEvent: nothing, onFrame: nothing, onNoise: nothing, onGone: nothing }
  return { connection: new Connection(pipe, listener), end: ended.resolve }
}

const errorOf = (answer: RequestOutcome) => {
  assert.isFalse(answer.ok)
  if (answer.ok || !(answer.error instanceof SidecarGone)) throw new Error("not what was expected")
  const { detail, exitCode, signal } = answer.error
  return { detail, exitCode, signal }
}

describe("a request to a sidecar whose input has broken", () => {
  it("fails with how it ended, though that is not known yet when it is made", async () => {
    const { connection, end } = broken()
    const answers = [1, 2, 3].map(() => new Promise<RequestOutcome>((resolve) => connection.call("ping", {}, resolve)))
    await new Promise((resolve) => setImmediate(resolve))
    end({ exitCode: null, signal: "SIGKILL", detail: "" })
    for (const answer of await Promise.all(answers)) {
      assert.deepStrictEqual(errorOf(answer), { exitCode: null, signal: "SIGKILL", detail: "" })
    }
  })

  it("does not wait for ever for one that closed its input and lives on", async () => {
    vi.useFakeTimers()
    try {
      const { connection } = broken()
      const answer = new Promise<RequestOutcome>((resolve) => connection.call("ping", {}, resolve))
      await vi.advanceTimersByTimeAsync(60_000)
      assert.deepStrictEqual(errorOf(await answer), {
        exitCode: null,
        signal: null,
        detail: "its input is closed"
      })
    } finally {
      vi.useRealTimers()
    }
  })
})
