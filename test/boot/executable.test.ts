import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import packageJson from "../../package.json" with { type: "json" }
import { Bin, command, StateDir } from "../support/Bin.ts"

const [executable] = command

const withFolder = async (use: (folder: string) => void | Promise<void>) => {
  const folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "executable-")))
  try {
    await use(folder)
  } finally {
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(executable, args, { encoding: "utf8", timeout: 20_000, input: "" })
  return { status, stderr, stdout }
}

describe("the executable", () => {
  it("tells its version, its Node's, and that its code cache fits", () => {
    assert.deepStrictEqual(run("--version"), {
      status: 0,
      stderr: "",
      stdout: `atomic-agent-sidecar ${packageJson.version}, Node.js ${process.versions.node}, code cache: fits\n`
    })
  })

  it("needs no cache in the user's folder", () =>
    withFolder(async (home) => {
      using dir = new StateDir()
      using bin = new Bin(dir, { env: { HOME: home } })
      await bin.request("ping")
      await bin.end()
      assert.deepStrictEqual(Fs.readdirSync(home), [])
    }))

  it("is not moved by what the environment tells Node in general", async () => {
    using dir = new StateDir()
    using bin = new Bin(dir, { env: { NODE_OPTIONS: "--require /no/such/module.js" } })
    assert.isTrue((await bin.request("ping")).ok)
    await bin.end()
  })

  it("runs a JavaScript file as Node does: an ES module with its arguments, and what that forks", () =>
    withFolder((folder) => {
      const main = Path.join(folder, "main.mjs")
      const child = Path.join(folder, "child.cjs")
      Fs.writeFileSync(
        main,
        `import { fork } from "node:child_process"
         import { once } from "node:events"
         const [message] = await once(fork(new URL("child.cjs", import.meta.url), ["a"]), "message")
         console.log(JSON.stringify({ argv: process.argv, isMain: import.meta.main, message }))
         process.exitCode = 3`
      )
      Fs.writeFileSync(child, `process.send({ argv: process.argv, isMain: require.main === module })`)
      const { status, stderr, stdout } = run("--run-script", main, "--version", "b c")
      assert.deepStrictEqual({ status, stderr }, { status: 3, stderr: "" })
      assert.deepStrictEqual(JSON.parse(stdout), {
        argv: [executable, main, "--version", "b c"],
        isMain: true,
        message: { argv: [executable, child, "a"], isMain: true }
      })
    }))

  it("runs a skill's JavaScript though there is no Node on the machine", async () => {
    const turn = [
      { toolCalls: [{ name: "skill.view", arguments: { name: "tool" } }] },
      { toolCalls: [{ name: "skill.run_script", arguments: { skill: "tool", script: "say.mjs", args: ["x"] } }] },
      { text: "done" }
    ]
    using dir = new StateDir()
    const inState = (path: string) => Path.join(dir.path, path)
    Fs.writeFileSync(inState("script.json"), JSON.stringify({ turns: [{ steps: turn }] }))
    Fs.writeFileSync(
      inState("config.json"),
      JSON.stringify({
        localModels: { mode: "scripted", script: inState("script.json") },
        agent: { approvalLevel: 4 }
      })
    )
    Fs.mkdirSync(inState("skills/tool/scripts"), { recursive: true })
    Fs.writeFileSync(
      inState("skills/tool/SKILL.md"),
      `---\nname: tool\ndescription: says\nrequires_scripts: ["say.mjs"]\n---\n`
    )
    Fs.writeFileSync(inState("skills/tool/scripts/say.mjs"), `console.log(process.argv.slice(2), process.version)`)
    using bin = new Bin(dir, { env: { PATH: dir.path } })
    const sessionId = await bin.session(dir.path)
    await bin.request("send_message", { sessionId, text: "go" })
    const result = await bin.event("tool_call_result", ({ payload }) => payload.tool === "skill.run_script")
    assert.deepInclude(result.payload, { status: "ok", summary: `exit code 0\n[ 'x' ] ${process.version}` })
    await bin.end()
  })
})
