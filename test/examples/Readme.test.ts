import * as Fs from "node:fs"
import { connect } from "node:net"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import * as Path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { SidecarHost } from "../../src/host/SidecarHost.ts"
import { root } from "../support/Bin.ts"
import { codeOf } from "./Documents.ts"
import { install } from "./install.ts"

/** A file of this folder, which the types are checked of, as a user of the package would write it. */
const asInstalled = (file: string): string =>
  Fs.readFileSync(Path.join(import.meta.dirname, file), "utf8")
    .replace(`"../../src/index.ts"`, `"atomic-agent-sidecar"`)
    .replace(`"../../src/testing/index.ts"`, `"atomic-agent-sidecar/testing"`)

const converse = async (host: SidecarHost, message: string): Promise<{ said: string; reason: string }> => {
  const { sessionId } = await host.request("start_session", { workingDir: "." })
  const turn = host.send(sessionId, message)
  let said = ""
  for await (const piece of turn) said += piece.text
  return { said, reason: (await turn.result).reason }
}

describe("the examples of embedding", () => {
  it("are the programs whose types are checked here", () => {
    assert.strictEqual(codeOf("embedded"), asInstalled("embedded.ts"))
    assert.strictEqual(codeOf("socket"), asInstalled("socket.ts"))
    assert.strictEqual(codeOf("swapping"), asInstalled("Swapping.test.ts"))
  })

  it("are short", () => {
    assert.isAtMost(codeOf("embedded").trimEnd().split("\n").length, 40)
    assert.isAtMost(codeOf("socket").trimEnd().split("\n").length, 40)
  })

  it("embed a model and a tool of their own, and keep nothing", async () => {
    using program = install(codeOf("embedded"))
    let stderr = ""
    const host = SidecarHost.spawn({ ...program, onStderr: (chunk) => (stderr += chunk) })
    const results: Array<string> = []
    host.on("tool_call_result", ({ summary, tool }) => results.push(`${tool}: ${summary}`))
    assert.deepStrictEqual(await converse(host, "What is it?"), { said: "6", reason: "reply" })
    const { exitCode, signal } = await host.shutdown()
    assert.deepStrictEqual(
      { exitCode, signal, stderr, results },
      {
        exitCode: 0,
        signal: null,
        stderr: "",
        results: ["app.add: 6"]
      }
    )
    assert.isFalse(Fs.existsSync(Path.join(program.cwd, "sidecar.sqlite")))
  })

  it("serve two hosts over a socket, and others when they have gone", async () => {
    using program = install(codeOf("socket"), { localModels: { mode: "scripted" } })
    const path =
      process.platform === "win32" ? `\\\\.\\pipe\\${Path.basename(program.cwd)}` : `${program.cwd}/host.sock`
    const child = spawn(program.command, [...program.args, path], { ...program, stdio: ["ignore", "pipe", "pipe"] })
    let stderr = ""
    child.stderr.on("data", (chunk) => (stderr += chunk))
    try {
      await Promise.race([once(child.stdout, "data"), once(child, "exit")])
      const attach = () => {
        const socket = connect(path)
        return { socket, host: SidecarHost.attach({ input: socket, output: socket }), closed: once(socket, "close") }
      }
      const [one, two] = [attach(), attach()]
      const turns = await Promise.all([converse(one.host, "Hello"), converse(two.host, "Hello")])
      assert.deepStrictEqual(
        turns.map(({ reason }) => reason),
        ["reply", "reply"],
        stderr
      )
      for (const { closed, host } of [one, two]) {
        await host.shutdown()
        await closed
      }

      // Hosts that go in the middle of a turn: one is gone, the other only says no more, and still hears.
      for (const [leave, ends] of [
        ["destroy", "gone"],
        ["end", "cancelled"]
      ] as const) {
        const { closed, host, socket } = attach()
        const { sessionId } = await host.request("start_session", { workingDir: "." })
        const result = host.send(sessionId, "Hello").result.then(
          ({ reason }) => reason,
          () => "gone"
        )
        socket[leave]()
        assert.strictEqual(await result, ends)
        await closed
      }
      assert.strictEqual(stderr, "")
      assert.strictEqual(child.exitCode, null)
    } finally {
      child.kill("SIGKILL")
    }
  })

  it("swap the sidecar's parts in a test of somebody who has only the package", async () => {
    using program = install(codeOf("swapping"), {}, "swapping.test.ts")
    const vitest = Path.join(root, "node_modules/vitest/vitest.mjs")
    const report = Path.join(program.cwd, "report.json")
    const args = [vitest, "run", "--root", program.cwd, "--reporter", "json", "--outputFile", report]
    await promisify(execFile)(program.command, args, { cwd: program.cwd, env: program.env })
    const { numPassedTests, numTotalTests } = JSON.parse(Fs.readFileSync(report, "utf8"))
    assert.deepStrictEqual({ numPassedTests, numTotalTests }, { numPassedTests: 1, numTotalTests: 1 })
  })

  it("talk to a stand-in of the model server, through the real bin", async () => {
    using program = install(codeOf("stand-in"), {}, "program.mjs")
    const { stdout } = await promisify(execFile)(program.command, program.args, { cwd: program.cwd, env: program.env })
    assert.strictEqual(stdout, "Hello from a stand-in.\ntransport: out of memory\n{ role: 'user', content: 'Again' }\n")
  })
})
