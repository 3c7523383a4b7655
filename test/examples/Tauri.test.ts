import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Readline from "node:readline"
import { promisify } from "node:util"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { SidecarHost } from "../../src/host/SidecarHost.ts"
import { binPath, root, StateDir } from "../support/Bin.ts"

const example = Path.join(root, "scripts/examples/tauri")
const read = (path: string) => Fs.readFileSync(Path.join(example, path), "utf8")
/** The page's half of the protocol, which is plain JavaScript. */
const { connect } = await import(Path.join(example, "ui/sidecar.js"))
const hasRust = (process.env["PATH"] ?? "")
  .split(Path.delimiter)
  .some((each) => Fs.existsSync(Path.join(each, "rustc")))

/** A program that is the example's `sidecar.rs` between two pipes. */
const buildRelay = async (folder: string): Promise<string> => {
  const source = Fs.readFileSync(Path.join(import.meta.dirname, "relay.rs"), "utf8")
  const file = Path.join(folder, "relay.rs")
  Fs.writeFileSync(file, source.replace("SIDECAR_RS", Path.join(example, "src-tauri/src/sidecar.rs")))
  const relay = Path.join(folder, "relay")
  await promisify(execFile)("rustc", ["--edition", "2024", "-D", "warnings", "-o", relay, file], { env: process.env })
  return relay
}

describe("the Tauri example", () => {
  const folder = new StateDir()
  let relay: Promise<string> | undefined
  afterAll(() => folder[Symbol.dispose]())
  const withRust = (name: string, test: (relay: string, dir: StateDir) => Promise<void>) =>
    it(name, { timeout: 60_000 }, async ({ skip }) => {
      if (!hasRust) skip("no rustc on the PATH: the part in Rust was not tried")
      using dir = new StateDir({ localModels: { mode: "scripted" } })
      await test(await (relay ??= buildRelay(folder.path)), dir)
    })

  withRust("passes a conversation on, and leaves no sidecar behind", async (relay, dir) => {
    const env = { ...process.env, ATOMIC_AGENT_STATE_DIR: dir.path }
    const noise: Array<string> = []
    const onNoise = (line: string) => noise.push(line)
    const host = SidecarHost.spawn({ command: relay, args: [process.execPath, binPath], env, onNoise })
    const { sessionId } = await host.request("start_session", { workingDir: dir.path })
    let reply = ""
    const turn = host.send(sessionId, "Hello")
    for await (const { text } of turn) reply += text
    assert.include(reply, "日本語, 한국어, naïve café, 👩‍💻, 🇯🇵, 🚀.")
    assert.strictEqual((await turn.result).reason, "reply")
    // Not asked to shut down, only let go of, as when the app ends.
    const child = spawn(relay, [process.execPath, binPath], { env, stdio: ["ignore", "pipe", "inherit"] })
    assert.deepStrictEqual((await child.stdout.setEncoding("utf8").toArray()).join(""), "GONE\n")
    assert.deepInclude(await host.shutdown(), { exitCode: 0, signal: null })
    assert.deepStrictEqual(noise, ["GONE"])
  })

  withRust("has a page that speaks the protocol over it, and hears when it is gone", async (relay, dir) => {
    const env = { ...process.env, ATOMIC_AGENT_STATE_DIR: dir.path }
    const child = spawn(relay, [process.execPath, binPath], { env, stdio: ["pipe", "pipe", "inherit"] })
    const Channel = function (hear: (line: string | null) => void) {
      const lines = Readline.createInterface({ input: child.stdout })
      lines.on("line", (line) => hear(line === "GONE" ? null : line))
    }
    const invoke = async (command: string, args: { frame?: string }) => {
      if (command === "sidecar_send") child.stdin.write(`${args.frame}\n`)
    }
    const types: Array<string> = []
    const { promise: gone, resolve: onGone } = Promise.withResolvers<void>()
    const request = await connect({ Channel, invoke }, ({ type }: { type: string }) => types.push(type), onGone)
    const { sessionId } = await request("start_session", { workingDir: dir.path })
    assert.deepInclude(await request("send_message", { sessionId, text: "Hello" }), { reason: "reply" })
    assert.includeMembers(types, ["session_started", "assistant_delta", "turn_finished"])
    const failure = await request("send_message", { sessionId: "s-0", text: "Hello" }).then(String, String)
    assert.include(failure, "no active session with id s-0")
    child.stdin.end()
    await gone
    assert.deepStrictEqual(await once(child, "exit"), [0, null])
  })

  it("allows its commands to its window, and ships the sidecar", () => {
    const commands = [...read("src-tauri/src/main.rs").matchAll(/#\[tauri::command\(async\)\]\nfn (\w+)/g)].map(
      ([, name]) => String(name)
    )
    assert.deepStrictEqual(commands, ["sidecar_start", "sidecar_send"])
    const { permissions, windows } = JSON.parse(read("src-tauri/capabilities/main.json"))
    const allowed = commands.map((name) => `allow-${name.replaceAll("_", "-")}`)
    assert.deepStrictEqual({ permissions, windows }, { permissions: ["core:default", ...allowed], windows: ["main"] })
    assert.include(read("src-tauri/build.rs"), `.commands(&[${commands.map((name) => `"${name}"`).join(", ")}])`)
    const { bundle } = JSON.parse(read("src-tauri/tauri.conf.json"))
    assert.deepStrictEqual(bundle.externalBin, ["binaries/atomic-agent-sidecar"])
  })
})
