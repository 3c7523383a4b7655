import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { say } from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { commandOf, descendants } from "../../src/testing/Processes.ts"
import { FakeServer } from "../llama/support/FakeServer.ts"
import { skillText } from "../skills/folders.ts"
import { Bin, StateDir } from "../support/Bin.ts"

const env = {
  ATOMIC_AGENT_LLAMA_API_KEY: "sk-planted-key",
  ATOMIC_AGENT_LLAMA_SEED: "7",
  ELECTRON_RUN_AS_NODE: "1",
  OTEL_EXPORTER_OTLP_HEADERS: "a=planted-header",
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a=planted-header",
  VISIBLE: "seen"
}

/** The names of those variables in a text, and of those that a program lists. */
const namesIn = (text: string) => Object.keys(env).filter((name) => text.includes(name))

const scripts = {
  "own.js": "console.log(Object.keys(process.env).join())",
  "other.sh": "env"
}

describe("variables that are meant for the sidecar alone, over the real bin", () => {
  it("reach no command, script, hook or guard", async () => {
    const calls = [
      { name: "skill.run_script", arguments: { skill: "tool", script: "own.js" } },
      { name: "skill.run_script", arguments: { skill: "tool", script: "other.sh" } },
      { name: "shell.run", arguments: { command: "sleep 0; env" } },
      {
        name: "shell.run",
        arguments: {
          command:
            "git init -q . && printf '#!/bin/sh\\nenv\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && " +
            "git -c user.name=a -c user.email=a@b commit --allow-empty -m x"
        }
      }
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
      const work = Path.join(dir.path, "work")
      Fs.mkdirSync(work)
      using bin = new Bin(dir, { env })
      await bin.request("send_message", { sessionId: await bin.session(work), text: "go" })
      const results = bin.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "tool_call_result" ? [frame.payload.summary] : []
      )
      const [ownNode, ...others] = results.map(namesIn)
      assert.deepStrictEqual(ownNode, ["ELECTRON_RUN_AS_NODE", "VISIBLE"])
      assert.deepStrictEqual(others, [["VISIBLE"], ["VISIBLE"], ["VISIBLE"]], results.join("\n"))
      if (process.platform === "linux") {
        const [guard = 0] = descendants(bin.pid).filter((pid) => commandOf(pid).includes("sidecar-guard"))
        assert.deepStrictEqual(namesIn(Fs.readFileSync(`/proc/${guard}/environ`, "utf8")), [])
      }
      await bin.end()
    } finally {
      await server.stop()
    }
  })

  it("do not reach a managed model server", async () => {
    using server = await FakeServer.make({})
    using dir = new StateDir({ localModels: { mode: "managed", managed: server.managed } })
    using bin = new Bin(dir, { env })
    await bin.session()
    assert.deepStrictEqual((await server.until("Started")).secrets, [])
    await bin.end()
  })
})
