import { DatabaseSync } from "node:sqlite"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { SidecarResponse } from "../../src/protocol/Frame.ts"
import { Bin, StateDir } from "../support/Bin.ts"

/** Another program that keeps the database to itself for good. */
const lock = (state: StateDir) => {
  const other = new DatabaseSync(Path.join(state.path, "sidecar.sqlite"))
  other.exec("BEGIN IMMEDIATE")
  return { [Symbol.dispose]: () => other.close() }
}

const ends: { readonly [how: string]: (bin: Bin) => void } = {
  "a shutdown": (bin) => void bin.post("shutdown"),
  "the end of the input": (bin) => bin.child.stdin.end(),
  SIGTERM: (bin) => bin.child.kill("SIGTERM")
}

/** All that was asked is answered once, in time, and the end is a clean one. */
const expectAnswers = async (bin: Bin) => {
  assert.deepStrictEqual(await bin.exited, { code: 0, signal: null })
  const answered = bin.frames.filter((frame): frame is SidecarResponse => frame.kind === "response")
  assert.sameMembers(
    answered.map(({ correlationId }) => correlationId),
    bin.requests.map(({ id }) => id)
  )
  return answered
}

describe.concurrent("a database that another program holds when the end comes", () => {
  it.each(Object.entries(ends))("costs no response: a turn, %s", async (_how, end) => {
    using state = new StateDir({ localModels: { mode: "scripted" } })
    using bin = new Bin(state)
    const sessionId = await bin.session()
    using _other = lock(state)
    const send = bin.post("send_message", { sessionId, text: "hello" })
    await bin.request("ping")
    end(bin)
    const answered = await expectAnswers(bin)
    const turn = answered.find(({ correlationId }) => correlationId === send)
    assert.deepInclude(turn?.payload, { reason: "cancelled" })
  })

  it.each(Object.entries(ends))("costs no response: the start of the first session, %s", async (_how, end) => {
    using state = new StateDir({ localModels: { mode: "scripted" } })
    using first = new Bin(state)
    await first.session()
    await first.end()
    using _other = lock(state)
    using bin = new Bin(state)
    bin.post("start_session", { workingDir: "." })
    await bin.request("ping")
    end(bin)
    await expectAnswers(bin)
  })
})
