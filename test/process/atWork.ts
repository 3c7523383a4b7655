import { assert } from "@effect/vitest"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { commandOf, descendants, isAlive, kill, markedWith, until } from "../../src/testing/Processes.ts"
import { Bin, StateDir } from "../support/Bin.ts"

/** The reaper among the processes below the sidecar. */
export const reaperOf = (bin: Bin): number | undefined =>
  descendants(bin.pid).find((pid) => commandOf(pid).includes("sidecar-guard"))

/** Shell commands, how many processes they start, and how many model calls there are when those are all that runs. */
const works = {
  "a command": { command: "sleep 600 & sleep 601 | cat; echo never", count: 4, calls: 1 },
  "what a command left behind": { command: "sleep 600 & sleep 601 & echo left", count: 2, calls: 2 },
  // `timeout` makes a group of its own.
  "groups of their own": { command: "timeout 600 sleep 601 & timeout 600 sleep 602; echo never", count: 5, calls: 1 },
  "groups that ignore TERM": {
    command: `timeout 600 sh -c "trap '' TERM; sleep 601; true"; echo never`,
    count: 4,
    calls: 1
  },
  // Its name makes two lines of `/proc/<pid>/stat`, the second of which is like another process's.
  "a group with a misleading name": {
    command: `name="$STARTED_BY/$(printf 'x\\n9 (a) S 1 1')"; cp "$(command -v sleep)" "$name"
      bash -c 'set -m; "$0" 601 & exit' "$name"; sleep 602; echo never`,
    count: 3,
    calls: 1
  },
  "groups left behind": { command: "timeout 600 sleep 601 & echo left", count: 2, calls: 2 }
}

/** A sidecar at work, once all processes of that run: `below` has their ids. */
export const atWork = async (
  work: keyof typeof works,
  use: (bin: Bin, below: ReadonlyArray<number>) => Promise<void>
): Promise<void> => {
  const { calls, command, count } = works[work]
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
    await server.received(calls)
    const started = () => markedWith(`STARTED_BY=${dir.path}`).filter((pid) => pid !== bin.pid)
    await until(() => (below = started()).length >= count, 10_000)
    assert.lengthOf(below, count, `${below.map(commandOf).join()}, ${bin.stderr}`)
    await use(bin, below)
  } finally {
    below.filter(isAlive).forEach(kill)
    await server.stop()
  }
}
