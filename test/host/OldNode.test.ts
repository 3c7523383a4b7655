import { execFile, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { binPath, root, StateDir } from "../support/Bin.ts"
import { checkTypes } from "../support/Types.ts"

/** A host as an app has it that runs on an older Node: a turn with an approval, a cancelled turn, an event iterator. */
const program = `
import { SidecarGone, SidecarHost } from "atomic-agent-sidecar/host"

const [command, bin] = process.argv.slice(2)
const host = SidecarHost.spawn({ command, args: [bin], onApproval: async () => ({ approved: true }) })
const { sessionId } = await host.request("start_session", { workingDir: "." })
const events = host.events({ sessionId })
const turn = host.send(sessionId, "write")
let text = ""
for await (const piece of turn) text += piece.text
const { reason } = await turn.result
const controller = new AbortController()
const waits = host.send(sessionId, "wait", { signal: controller.signal })
for await (const piece of waits) controller.abort()
const cancelled = (await waits.result).reason
const refused = await host.request("get_session", {}).catch(({ code }) => code)
await host[Symbol.asyncDispose]()
const types = []
for await (const { type } of events) types.push(type)
const { exitCode } = await host.exited
const gone = await host.request("ping").catch((error) => error instanceof SidecarGone)
// The bin cannot run on such a Node, and tells the host why.
const { detail } = await SidecarHost.spawn().exited
console.log(JSON.stringify({ text, reason, cancelled, refused, first: types[0], exitCode, gone, detail }))
`

const script = {
  turns: [
    { when: { userTextIncludes: "wait" }, steps: [{ text: "Once", hang: true }] },
    {
      steps: [{ toolCalls: [{ name: "fs.write", arguments: { path: "a.txt", content: "a\n" } }] }, { text: "Written." }]
    }
  ]
}

/** The machine's own Node, which is not one that npm has installed. */
const machineNode = (process.env["PATH"] ?? "")
  .split(Path.delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .map((folder) => Path.join(folder, process.platform === "win32" ? "node.exe" : "node"))
  .find((path) => Fs.existsSync(path))

describe("a host on Node 20, which Electron 30 has", () => {
  it("holds a conversation with a sidecar that runs on a newer Node", async ({ skip }) => {
    if (machineNode === undefined) return skip("there is no Node on the PATH but this project's: nothing was tried")
    const version = spawnSync(machineNode, ["--version"], { encoding: "utf8" }).stdout.trim()
    if (!version.startsWith("v20.")) return skip(`the machine's own Node is ${version}, not 20: nothing was tried`)
    using dir = new StateDir()
    const file = (path: string) => Path.join(dir.path, path)
    Fs.writeFileSync(file("script.json"), JSON.stringify(script))
    const config = { localModels: { mode: "scripted", script: file("script.json") } }
    Fs.writeFileSync(file("config.json"), JSON.stringify(config))
    Fs.mkdirSync(file("node_modules"))
    Fs.symlinkSync(root, file("node_modules/atomic-agent-sidecar"), "junction")
    Fs.writeFileSync(file("host.mjs"), program)
    const { stdout } = await promisify(execFile)(machineNode, ["host.mjs", process.execPath, binPath], {
      cwd: dir.path,
      env: { ...process.env, ATOMIC_AGENT_STATE_DIR: dir.path }
    })
    const { detail, ...outcome } = JSON.parse(stdout)
    assert.deepStrictEqual(outcome, {
      text: "Written.",
      reason: "reply",
      cancelled: "cancelled",
      refused: "handler_failed",
      first: "session_started",
      exitCode: 0,
      gone: true
    })
    assert.include(detail, "22.19")
    assert.include(detail, version.slice(1))
    assert.strictEqual(Fs.readFileSync(file("a.txt"), "utf8"), "a\n")
  })

  /** What of the language's library Node 20 knows. */
  const node20 = {
    lib: ["es2023", "esnext.disposable"],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    typeRoots: [Path.join(root, "node_modules/@types")]
  }

  it("is written with what the language's library had then", () => {
    assert.deepStrictEqual(checkTypes(Path.join(root, "src/host/SidecarHost.ts"), node20).errors, [])
    using dir = new StateDir()
    const newer = Path.join(dir.path, "newer.ts")
    Fs.writeFileSync(newer, "export const newer = [Promise.withResolvers, Array.fromAsync, new Set().union]\n")
    assert.lengthOf(checkTypes(newer, node20).errors, 3)
  })
})
