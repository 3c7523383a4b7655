import { assert } from "@effect/vitest"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { commandOf, descendants, isAlive, kill, markedWith, until } from "../../src/testing/Processes.ts"
import { Bin, StateDir } from "../support/Bin.ts"

/** The reaper among the processes below the sidecar. */
export const reaperOf = (bin: Bin): number | undefined =>
  descendants(bin.pid).find((pid) => commandOf(pid).includes("sidecar-guard"))

/** A sidecar that runs a shell command, once that has started so many processes: `below` has their ids. */
export const atWork = async (
  command: string,
  count: number,
  use: (bin: Bin, below: ReadonlyArray<number>) => Promise<void>
): Promise<void> => {
  const call = { name: "shell_run", arguments: { command } }
  const server = await LlamaServer.start({
    answer: (_, index) => (index === 0 ? LlamaAnswers.say({ toolCalls: [call] }) : { pieces: [], ending: "hang" })
  })
  using dir = new StateDir({ localModels: { url: server.url }, agent: { approvalLevel: 5 } })
  // What has lost its parent is known by what it inherits; the reaper inherits nothing.
  using bin = new Bin(dir, { env: { STARTED_BY: dir.path } })
  let below: ReadonlyArray<number> = []
  try {
    bin.post("send_message", { sessionId: await bin.session(), text: "go" })
    const started = () => markedWith(`STARTED_BY=${dir.path}`).filter((pid) => pid !== bin.pid)
    await until(() => (below = started()).length >= count, 10_000)
    assert.lengthOf(below, count, `${below.map(commandOf).join()}, ${bin.stderr}`)
    await use(bin, below)
  } finally {
    below.filter(isAlive).forEach(kill)
    await server.stop()
  }
}
