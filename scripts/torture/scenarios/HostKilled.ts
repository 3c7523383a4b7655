import * as Assert from "node:assert/strict"
import { descendants, isAlive, kill, until } from "../../../src/testing/Processes.ts"
import { ProcessHost } from "../../../src/testing/ProcessHost.ts"
import * as LlamaAnswers from "../../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../../src/testing/LlamaServer.ts"
import { StateDir } from "../../../src/testing/StateDir.ts"
import type { Figure } from "../Figure.ts"
import { command, envOf, root } from "../Sidecar.ts"

/**
 * How a sidecar can know that its host is gone: by its stdin, or, where a third process holds that open, by its parent.
 */
export type Sign = "end of input" | "parent gone"

/** A host that starts a sidecar, and passes on what is written to either. */
const script = (sign: Sign) => `
  const { spawn } = require("node:child_process")
  const stdin = ${sign === "parent gone" ? '"inherit"' : '"pipe"'}
  const child = spawn(${command.map((word) => JSON.stringify(word)).join(", [")}], { stdio: [stdin, "pipe", "inherit"] })
  child.stdout.pipe(process.stdout)
  if (child.stdin) process.stdin.pipe(child.stdin)
`

/**
 * Kills the host of a sidecar whose tool is at work: the sidecar and all its children are gone within three seconds.
 */
export const hostKilled = async (sign: Sign): Promise<ReadonlyArray<Figure>> => {
  const toolCalls = [{ name: "shell_run", arguments: { command: "sleep 600 & sleep 601 | cat; echo never" } }]
  const server = await LlamaServer.start({ answer: LlamaAnswers.say({ toolCalls }) })
  using dir = new StateDir({ localModels: { url: server.url }, agent: { approvalLevel: 5 } })
  using host = new ProcessHost({ command: [process.execPath, "-e", script(sign)], env: envOf(dir), cwd: root })
  let below: ReadonlyArray<number> = []
  try {
    host.post("send_message", { sessionId: await host.session(), text: "go" })
    await host.event("tool_call_started")
    // The sidecar, the shell, both sleeps and cat.
    await until(() => (below = descendants(host.pid)).length >= 5, 10_000)
    Assert.ok(below.length >= 5, `${below.length} processes`)
    host.child.kill("SIGKILL")
    const tookMs = await until(() => !below.some(isAlive), 10_000)
    Assert.ok(tookMs !== undefined && tookMs < 3000, `after ${tookMs} ms there is ${below.filter(isAlive).join()}`)
    return [{ name: `host killed (${sign}): all ${below.length} gone after`, value: tookMs, unit: "ms" }]
  } finally {
    below.filter(isAlive).forEach(kill)
    await server.stop()
  }
}
