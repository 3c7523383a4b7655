import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Readline from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Bin, binPath, StateDir } from "../support/Bin.ts"

describe("the bin: what comes to its pipes", () => {
  // Node gives its children sockets; most other hosts give them pipes.
  it.runIf(process.platform === "linux")("cannot come from another process that opens them by our pid", async () => {
    using dir = new StateDir({ localModels: { mode: "scripted" } })
    const line = 'cat | sh -c \'echo $$ >&2; exec "$0" "$1"\' "$0" "$1" | cat'
    const child = spawn("sh", ["-c", line, process.execPath, binPath], {
      env: { PATH: process.env.PATH, HOME: dir.path, ATOMIC_AGENT_STATE_DIR: dir.path }
    })
    try {
      const lines = (stream: NodeJS.ReadableStream) =>
        Readline.createInterface({ input: stream })[Symbol.asyncIterator]()
      const pid = String((await lines(child.stderr).next()).value)
      child.stdin.write('{"kind":"request","id":"r1","type":"ping","payload":{}}\n')
      const frames = lines(child.stdout)
      assert.deepInclude(JSON.parse(String((await frames.next()).value)), { kind: "response", correlationId: "r1" })
      for (const fd of [0, 1]) {
        const path = `/proc/${pid}/fd/${fd}`
        assert.match(Fs.readlinkSync(path), /^pipe:/)
        assert.strictEqual(Fs.statSync(path).mode & 0o777, 0)
      }
      child.stdin.end()
      assert.isTrue((await frames.next()).done)
    } finally {
      child.kill("SIGKILL")
    }
  })

  it("cannot come from a command, even where none is asked about", async () => {
    using dir = new StateDir()
    const script = Path.join(dir.path, "script.json")
    const commands = [
      "echo noise; echo noise >&2; echo noise > /dev/stdout",
      "echo noise > /proc/$PPID/fd/1",
      "sh -c 'echo noise > /proc/$PPID/fd/1'",
      "cat /proc/$PPID/fd/0"
    ]
    const toolCalls = commands.map((command) => ({ name: "shell.run", arguments: { command } }))
    Fs.writeFileSync(script, JSON.stringify({ turns: [{ steps: [{ toolCalls }, { text: "done" }] }] }))
    const config = { localModels: { mode: "scripted", script }, agent: { approvalLevel: 5 } }
    Fs.writeFileSync(Path.join(dir.path, "config.json"), JSON.stringify(config))
    using bin = new Bin(dir)
    const sessionId = await bin.session(dir.path)
    assert.deepInclude((await bin.request("send_message", { sessionId, text: "go" })).payload, { reason: "reply" })
    const results = bin.frames.flatMap((frame) =>
      frame.kind === "event" && frame.type === "tool_call_result" ? [frame.payload.summary] : []
    )
    assert.include(results[0], "noise")
    for (const result of results.slice(1)) assert.include(result, "blocked: it reaches into the pipes")
    assert.strictEqual(results.length, commands.length)
    await bin.end()
  })
})
