import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Script } from "../../src/llama/scripted/Script.ts"
import { root, StateDir } from "../support/Bin.ts"

const example = Path.join(root, "scripts/examples/electron")
const write = (path: string) => ({ name: "fs.write", arguments: { path, content: "hello\n" } })
const script: Script = {
  turns: [
    { when: { userTextIncludes: "wait" }, steps: [{ text: "Once", hang: true }] },
    { when: { userTextIncludes: "yes.txt" }, steps: [{ toolCalls: [write("yes.txt")] }, { text: "Written." }] },
    { when: { userTextIncludes: "no.txt" }, steps: [{ toolCalls: [write("no.txt")] }, { text: "Not written." }] }
  ]
}

/** The example's app, run by plain Node. The test is its page: it reads the page's messages and calls its commands. */
class App implements Disposable {
  readonly dir = new StateDir()
  readonly #child: ChildProcess
  readonly #reports: Array<ReadonlyArray<any>> = []
  readonly exited: Promise<ReadonlyArray<unknown>>
  stderr = ""
  #calls = 0
  #waiting = new Set<() => void>()

  constructor(config?: string) {
    const file = (path: string) => Path.join(this.dir.path, path)
    Fs.cpSync(example, file("app"), { recursive: true })
    Fs.mkdirSync(file("app/node_modules/electron"), { recursive: true })
    Fs.copyFileSync(Path.join(import.meta.dirname, "electron.mjs"), file("app/node_modules/electron/index.mjs"))
    Fs.writeFileSync(file("app/node_modules/electron/package.json"), JSON.stringify({ main: "index.mjs" }))
    Fs.symlinkSync(root, file("app/node_modules/atomic-agent-sidecar"), "junction")
    Fs.writeFileSync(file("script.json"), JSON.stringify(script))
    const scripted = { localModels: { mode: "scripted", script: file("script.json") } }
    Fs.writeFileSync(file("config.json"), config ?? JSON.stringify(scripted))
    const { main } = JSON.parse(Fs.readFileSync(file("app/package.json"), "utf8"))
    this.#child = spawn(process.execPath, [file("app/node_modules/electron/index.mjs"), file(`app/${main}`)], {
      cwd: this.dir.path,
      env: { ...process.env, ATOMIC_AGENT_STATE_DIR: this.dir.path },
      stdio: ["ignore", "inherit", "pipe", "ipc"]
    })
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text))
    this.#child.on("message", (report: ReadonlyArray<any>) => {
      this.#reports.push(report)
      this.#wake()
    })
    this.exited = once(this.#child, "exit")
    void this.exited.then(() => this.#wake())
  }

  /** Calls what the preload script has given to the page. */
  async call(name: string, ...args: ReadonlyArray<unknown>): Promise<any> {
    this.#calls += 1
    const id = this.#calls
    this.#child.send([id, name, ...args])
    const [how, , value] = await this.report(([what, of]) => (what === "done" || what === "failed") && of === id)
    if (how === "failed") throw new Error(value)
    return value
  }

  /** Makes Electron itself do something. */
  do(name: string): void {
    this.#child.send([0, name])
  }

  /** The payload of the next event of a type that is sent to the page. */
  async event(type: string): Promise<any> {
    const [, { payload }] = await this.report(([what, message]) => what === "message" && message.type === type)
    return payload
  }

  /** Waits for a report that fits, and takes it. */
  async report(fits: (report: ReadonlyArray<any>) => boolean): Promise<ReadonlyArray<any>> {
    const patience = AbortSignal.timeout(20_000)
    while (true) {
      const at = this.#reports.findIndex(fits)
      if (at !== -1) return this.#reports.splice(at, 1)[0] ?? []
      if (this.#child.exitCode !== null || patience.aborted) {
        throw new Error(`no such report came, exit ${this.#child.exitCode}: ${this.stderr}`)
      }
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve)
        patience.addEventListener("abort", () => resolve(), { once: true })
      })
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL")
    this.dir[Symbol.dispose]()
  }
}

describe("the Electron example", () => {
  it("opens one window that nothing leads away, with four commands and a listener", async () => {
    using app = new App()
    assert.deepStrictEqual(await app.report(([what]) => what === "exposed"), [
      "exposed",
      "sidecar",
      ["start", "send", "cancel", "answer", "onMessage"]
    ])
    assert.deepStrictEqual(await app.report(([what]) => what === "opens"), ["opens", "deny"])
    assert.deepStrictEqual(await app.report(([what]) => what === "loaded"), ["loaded", "page.html"])
  })

  it("holds turns with a yes, a no and a cancel, and leaves cleanly", async () => {
    using app = new App()
    await app.report(([what]) => what === "loaded")
    await app.call("start", ".")
    const yes = app.call("send", "write yes.txt")
    assert.isTrue(await app.call("answer", (await app.event("approval_request")).approvalId, true))
    assert.deepInclude(await yes, { reason: "reply" })
    assert.strictEqual(Fs.readFileSync(Path.join(app.dir.path, "yes.txt"), "utf8"), "hello\n")

    const no = app.call("send", "write no.txt")
    const { approvalId } = await app.event("approval_request")
    // Only what is a yes is one.
    assert.isTrue(await app.call("answer", approvalId, "true", "not there"))
    assert.isFalse(await app.call("answer", approvalId, true))
    assert.deepInclude(await no, { reason: "reply" })
    assert.isFalse(Fs.existsSync(Path.join(app.dir.path, "no.txt")))

    await app.event("turn_finished")
    await app.event("turn_finished")
    const wait = app.call("send", "wait")
    await app.report(([what, message]) => what === "message" && message.payload?.text === "Once")
    await app.call("cancel")
    assert.deepInclude(await wait, { reason: "cancelled" })

    app.do("quit")
    assert.deepStrictEqual(await app.exited, [0, null], app.stderr)
    assert.strictEqual(app.stderr, "")
  })

  it("lets the page know that the sidecar is gone, and what is wrong with its configuration", async () => {
    using app = new App("{")
    const [, { detail }] = await app.report(([what, message]) => what === "message" && message.kind === "gone")
    assert.include(detail, "config.json")
    app.do("quit")
    assert.deepStrictEqual(await app.exited, [0, null], app.stderr)
  })

  it("obeys no other page", async () => {
    using app = new App()
    await app.report(([what]) => what === "loaded")
    app.do("leads elsewhere")
    const failure = await app.call("send", "write yes.txt").then(String, ({ message }) => message)
    assert.include(failure, "this page may not call the sidecar")
  })
})
