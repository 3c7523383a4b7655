import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { say } from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { commandOf, descendants } from "../../src/testing/Processes.ts"
import { FakeServer } from "../llama/support/FakeServer.ts"
import { skillText } from "../skills/folders.ts"
import { Bin, StateDir } from "../support/Bin.ts"

const env = { ELECTRON_RUN_AS_NODE: "1" }

/** Tells whether it has the variable. */
const scripts = {
  "own.js": `console.log("own", process.env.ELECTRON_RUN_AS_NODE)`,
  "other.sh": `echo "other \${ELECTRON_RUN_AS_NODE-undefined}"`
}

describe("the variable that makes an Electron a Node", () => {
  it("reaches a script that our own Node runs, and no other program", async () => {
    const calls = [
      { name: "skill.run_script", arguments: { skill: "tool", script: "own.js" } },
      { name: "skill.run_script", arguments: { skill: "tool", script: "other.sh" } },
      { name: "shell.run", arguments: { command: "sleep 0; env" } },
      { name: "shell.run", arguments: { command: "true; echo [${ELECTRON_RUN_AS_NODE-none}]" } }
    ]
    const server = await LlamaServer.start({
      answer: (_, index) => (index === 0 ? say({ toolCalls: calls }) : say({ text: "Done." }))
    })
    try {
      using dir = new StateDir({ localModels: { url: server.url }, agent: { approvalLevel: 5 } })
      const folder = Path.join(dir.path, "skills/tool/scripts")
      Fs.mkdirSync(folder, { recursive: true })
      Fs.writeFileSync(Path.join(folder, "../SKILL.md"), skillText("tool", "requires_scripts: [own.js, other.sh]"))
      for (const [name, text] of Object.entries(scripts)) Fs.writeFileSync(Path.join(folder, name), text)
      using bin = new Bin(dir, { env })
      const response = await bin.request("send_message", { sessionId: await bin.session(), text: "go" })
      assert.deepInclude(response.payload, { reason: "reply" })
      const results = bin.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "tool_call_result" ? [frame.payload.summary] : []
      )
      assert.deepStrictEqual(results.slice(0, 2), ["exit code 0\nown 1", "exit code 0\nother undefined"])
      assert.include(results[2], "PATH=")
      assert.notInclude(results[2], "ELECTRON")
      assert.strictEqual(results[3], "exit code 0\n[none]")
      if (process.platform === "linux") {
        const [guard = 0] = descendants(bin.pid).filter((pid) => commandOf(pid).includes("sidecar-guard"))
        assert.strictEqual(Fs.readFileSync(`/proc/${guard}/environ`, "utf8").includes("ELECTRON"), false)
      }
      await bin.end()
    } finally {
      await server.stop()
    }
  })

  it("does not reach a managed model server", async () => {
    using server = await FakeServer.make({})
    using dir = new StateDir({ localModels: { mode: "managed", managed: server.managed } })
    using bin = new Bin(dir, { env })
    await bin.session()
    assert.deepStrictEqual((await server.until("Started")).secrets, [])
    await bin.end()
  })
})
