import { spawn } from "node:child_process"
import { once } from "node:events"
import { assert } from "@effect/vitest"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { binPath, root, StateDir } from "../../test/support/Bin.ts"
import type { Figure } from "./Figure.ts"
import { descendants, isAlive, until } from "./Processes.ts"

/** How the sidecar can tell that its host is gone. */
export type Sign =
  /** Its stdin ends. */
  | "end of input"
  /** Only its parent is another one: a third process holds its stdin open. */
  | "parent gone"

/** A host that starts a sidecar, lets it run a shell command, and says how far it is. */
const host = (sign: Sign) => `
  const { spawn } = require("node:child_process")
  const stdin = ${sign === "parent gone" ? '"inherit"' : '"pipe"'}
  const child = spawn(process.execPath, [${JSON.stringify(binPath)}], { stdio: [stdin, "pipe", "inherit"] })
  child.stdout.setEncoding("utf8").on("data", (text) => process.stdout.write(text))
  if (child.stdin) process.stdin.pipe(child.stdin)
`

/** Kills the host of a sidecar whose tool is at work: the sidecar and all its children are gone within three seconds. */
export const hostKilled = async (sign: Sign): Promise<ReadonlyArray<Figure>> => {
  const server = await LlamaServer.start({
    answer: LlamaAnswers.say({
      toolCalls: [{ name: "shell_run", arguments: { command: "sleep 600 & sleep 601 | cat; echo never" } }]
    })
  })
  using dir = new StateDir({ localModels: { url: server.url }, agent: { approvalLevel: 5 } })
  const parent = spawn(process.execPath, ["-e", host(sign)], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ATOMIC_AGENT_STATE_DIR: dir.path }
  })
  const requests = (type: string, payload: object) =>
    parent.stdin.write(`${JSON.stringify({ kind: "request", id: type, type, payload })}\n`)
  let seen = ""
  parent.stdout.setEncoding("utf8").on("data", (text: string) => (seen += text))
  const saw = async (pattern: RegExp): Promise<string> => {
    await until(() => pattern.test(seen), 20_000)
    const found = pattern.exec(seen)?.[1]
    assert.isDefined(found, `${String(pattern)} in ${seen}`)
    return found
  }
  let below: ReadonlyArray<number> = []
  try {
    requests("start_session", { workingDir: "." })
    const sessionId = await saw(/"session_started".*?"sessionId":"([^"]+)"/)
    requests("send_message", { sessionId, text: "go" })
    await saw(/("tool_call_started")/)
    // The sidecar, the shell, both sleeps and cat.
    await until(() => (below = descendants(parent.pid ?? 0)).length >= 5, 10_000)
    assert.isAtLeast(below.length, 5)
    parent.kill("SIGKILL")
    const gone = await until(() => !below.some(isAlive), 10_000)
    assert.isDefined(gone, `still there: ${below.filter(isAlive).join()}`)
    assert.isBelow(gone, 3000)
    return [{ name: `host killed (${sign}): all ${below.length} gone after`, value: gone, unit: "ms" }]
  } finally {
    for (const pid of below.filter(isAlive)) process.kill(pid, "SIGKILL")
    parent.kill("SIGKILL")
    if (parent.exitCode === null && parent.signalCode === null) await once(parent, "exit")
    await server.stop()
  }
}
