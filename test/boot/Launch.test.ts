import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Bin, binPath, root, StateDir } from "../support/Bin.ts"

const importing = (code: string) => ["--import", `data:text/javascript,${encodeURIComponent(code)}`]

describe("a signal that comes before the program listens to signals", () => {
  const moments = {
    "while the program is compiled": "process.kill(process.pid, signal); return run.call(this)",
    "before it has begun, if it never does": "process.kill(process.pid, signal); setInterval(() => {}, 1000)"
  }

  it.each(
    (["SIGTERM", "SIGINT", "SIGHUP"] as const).flatMap((signal) =>
      Object.entries(moments).map(([moment, act]) => [signal, moment, act] as const)
    )
  )("ends it with exit code 0: %s %s", async (signal, _moment, act) => {
    const preload = `
      const { prototype } = process.getBuiltinModule("node:vm").Script
      const run = prototype.runInThisContext
      const signal = "${signal}"
      prototype.runInThisContext = function () { ${act} }`
    using state = new StateDir()
    using bin = new Bin(state, { nodeOptions: importing(preload) })
    assert.deepStrictEqual(await bin.exited, { code: 0, signal: null })
    assert.deepStrictEqual({ frames: bin.frames, stderr: bin.stderr }, { frames: [], stderr: "" })
    assert.isFalse(Fs.existsSync(Path.join(state.path, "sidecar.sqlite")))
  })
})

describe("the bin under Node's own options", () => {
  it("tells of an exception that nobody caught, and goes on", async () => {
    using dir = new StateDir({ localModels: { mode: "scripted" } })
    const stray = `process.once("SIGUSR2", () => { Promise.reject(new Error("stray promise")); throw new Error("stray callback") })`
    using bin = new Bin(dir, { nodeOptions: importing(stray) })
    await bin.request("ping")
    bin.child.kill("SIGUSR2")
    for (const word of ["stray callback", "stray promise"]) {
      const log = await bin.event("log", (frame) => frame.payload.context.stack.includes(word))
      assert.strictEqual(log.payload.level, "error")
    }
    assert.isTrue((await bin.request("ping")).ok)
    await bin.end()
  })

  it("names the lines of the sources in stacks with --enable-source-maps", async () => {
    const name = "src/boot/CodeCache.ts"
    const line = Fs.readFileSync(Path.join(root, name), "utf8").split("performance.mark(")[0]?.split("\n").length
    const printing = `
      const { mark } = performance
      performance.mark = (...args) => {
        console.error(new Error().stack)
        return mark.apply(performance, args)
      }`
    using dir = new StateDir({ localModels: { mode: "scripted" } })
    using bin = new Bin(dir, { nodeOptions: ["--enable-source-maps", ...importing(printing)] })
    await bin.session()
    bin.child.stdin.end()
    await bin.exited
    assert.include(bin.stderr, `at markSessionsLoaded (${Path.join(root, name)}:${line}:`)
    assert.match(bin.stderr, /src\/main\.ts:\d+:/)
  })

  it("says in one line on stderr that the Node is too old, and exits 78", () => {
    const tooOld = `Object.defineProperty(process.versions, "node", { value: "20.1.0" })`
    const args = [...importing(tooOld), binPath]
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { input: "", encoding: "utf8" })
    assert.deepStrictEqual(
      { status, stderr, stdout },
      { status: 78, stderr: "atomic-agent-sidecar needs Node.js 22.19 or newer, this is 20.1.0\n", stdout: "" }
    )
  })
})
