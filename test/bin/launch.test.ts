import { execFileSync, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Bin, binPath, StateDir } from "../support/Bin.ts"

const ping = '{"kind":"request","id":"1","type":"ping"}\n'

const importing = (code: string) => ["--import", `data:text/javascript,${encodeURIComponent(code)}`]

/** Runs the bin once in a home of its own; whether it answered, and what its cache folder holds. */
const launch = (home: string, env: NodeJS.ProcessEnv = {}, input = ping) => {
  using state = new StateDir({ localModels: { mode: "scripted" } })
  const { status, stderr, stdout } = spawnSync(process.execPath, [binPath], {
    input,
    encoding: "utf8",
    timeout: 20_000,
    killSignal: "SIGKILL",
    env: { PATH: process.env.PATH, HOME: home, ATOMIC_AGENT_STATE_DIR: state.path, ...env }
  })
  assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
  assert.deepInclude(JSON.parse(stdout.split("\n")[0] ?? ""), { correlationId: "1", ok: true })
  const folder = Path.join(home, ".cache/atomic-agent-sidecar")
  return Fs.existsSync(folder) ? Fs.readdirSync(folder).map((name) => Path.join(folder, name)) : []
}

const withHome = async (use: (home: string) => void | Promise<void>) => {
  const home = Fs.mkdtempSync(Path.join(Os.tmpdir(), "sidecar-home-"))
  try {
    await use(home)
  } finally {
    Fs.chmodSync(home, 0o700)
    Fs.rmSync(home, { recursive: true, force: true })
  }
}

describe("the launcher", () => {
  it("leaves a code cache that only its user can read, and leaves it alone the next time", () =>
    withHome((home) => {
      const [cache = ""] = launch(home)
      assert.strictEqual(Fs.statSync(cache).mode & 0o777, 0o600)
      assert.strictEqual(Fs.statSync(Path.dirname(cache)).mode & 0o777, 0o700)
      const before = Fs.statSync(cache).mtimeMs
      assert.deepStrictEqual(launch(home), [cache])
      assert.strictEqual(Fs.statSync(cache).mtimeMs, before)
    }))

  it("makes the cache of the first script anew with that of the second: a session runs more of both", () =>
    withHome((home) => {
      const [early = ""] = launch(home)
      const pinged = Fs.statSync(early).size
      const session = `{"kind":"request","id":"2","type":"start_session","payload":{"workingDir":"${home}"}}\n`
      assert.strictEqual(launch(home, {}, ping + session).length, 2)
      const complete = Fs.statSync(early)
      assert.isAbove(complete.size, pinged)
      launch(home, {}, ping + session)
      assert.strictEqual(Fs.statSync(early).mtimeMs, complete.mtimeMs)
    }))

  it("starts with a damaged cache, and makes it anew", () =>
    withHome((home) => {
      const [cache = ""] = launch(home)
      const good = Fs.statSync(cache).size
      for (const damage of ["", "garbage", Fs.readFileSync(cache).subarray(0, 1000)]) {
        Fs.writeFileSync(cache, damage)
        launch(home)
        assert.isAbove(Fs.statSync(cache).size, good / 2)
      }
    }))

  const damages: { readonly [what: string]: (bytes: Buffer) => unknown } = {
    "one bit": (bytes) => bytes.writeUInt8(bytes.readUInt8(300_001) ^ 1, 300_001),
    "a page of zeros": (bytes) => bytes.fill(0, 8192, 12288),
    "a tail of zeros": (bytes) => bytes.fill(0, 800_000),
    "its parts in another place": (bytes) => bytes.copyWithin(0, 500_000)
  }
  it.each(Object.entries(damages))("does not use a cache that a disk has damaged: %s", (_what, damage) =>
    withHome((home) => {
      const [cache = ""] = launch(home)
      const bad = Fs.readFileSync(cache)
      damage(bad)
      Fs.writeFileSync(cache, bad)
      launch(home)
      assert.isFalse(Fs.readFileSync(cache).equals(bad))
      launch(home)
    })
  )

  it("leaves nothing half done where it cannot write, and makes no home", () =>
    withHome((home) => {
      const [cache = ""] = launch(home)
      Fs.rmSync(cache)
      Fs.mkdirSync(cache)
      assert.deepStrictEqual(launch(home), [cache])
      assert.deepStrictEqual(launch(Path.join(home, "nowhere")), [])
      assert.isFalse(Fs.existsSync(Path.join(home, "nowhere")))
    }))

  it("ends where the system knows no such place: procfs", () => {
    assert.deepStrictEqual(launch("", { XDG_CACHE_HOME: "/proc" }), [])
  })

  it("clears away half a cache that a killed process has left", () =>
    withHome((home) => {
      const [cache = ""] = launch(home)
      const half = `${cache}.1234`
      const fresh = `${cache}.5678`
      Fs.writeFileSync(half, "")
      Fs.writeFileSync(fresh, "")
      Fs.utimesSync(half, new Date(), new Date(Date.now() - 2 * 3600 * 1000))
      Fs.rmSync(cache)
      assert.sameMembers(launch(home), [cache, fresh])
    }))

  const inItsPlace: { readonly [what: string]: (path: string, good: Buffer) => void } = {
    "a pipe": (path) => execFileSync("mkfifo", [path]),
    "a link to a device without an end": (path) => Fs.symlinkSync("/dev/zero", path),
    "a link to itself": (path) => Fs.symlinkSync(path, path),
    "a file of a terabyte": (path) => {
      Fs.writeFileSync(path, "")
      Fs.truncateSync(path, 2 ** 40)
    },
    "a file that others can write": (path, good) => {
      Fs.writeFileSync(path, good)
      Fs.chmodSync(path, 0o666)
    }
  }
  it.each(Object.entries(inItsPlace))("does not read what stands in the place of a cache: %s", (_what, put) =>
    withHome((home) => {
      const [cache = ""] = launch(home)
      const good = Fs.readFileSync(cache)
      Fs.rmSync(cache)
      put(cache, good)
      launch(home)
      const found = Fs.lstatSync(cache)
      assert.isTrue(found.isFile())
      assert.strictEqual(found.mode & 0o777, 0o600)
      assert.isAbove(found.size, good.length / 2)
      assert.isBelow(found.size, good.length * 2)
    })
  )

  it("clears away what has grown old", () =>
    withHome((home) => {
      const folder = Path.join(home, ".cache/atomic-agent-sidecar")
      Fs.mkdirSync(folder, { recursive: true })
      const old = Path.join(folder, "old.cache")
      Fs.writeFileSync(old, "")
      Fs.utimesSync(old, new Date(0), new Date(0))
      assert.notInclude(launch(home), old)
    }))

  it("clears away nothing that it has not made, nor anything through a link", () =>
    withHome((home) => {
      const age = (path: string) => Fs.utimesSync(path, new Date(0), new Date(0))
      const folder = Path.join(home, ".cache/atomic-agent-sidecar")
      const fill = (into: string) => {
        Fs.mkdirSync(Path.join(into, "photos"), { recursive: true })
        const files = ["thesis.docx", "photos/a.jpg"].map((name) => Path.join(into, name))
        for (const file of files) Fs.writeFileSync(file, "")
        for (const path of [...files, Path.join(into, "photos")]) age(path)
        return files
      }
      const beside = fill(folder)
      launch(home)
      for (const file of beside) assert.isTrue(Fs.existsSync(file), file)

      const elsewhere = Path.join(home, "elsewhere")
      const [old = ""] = [...fill(elsewhere), Path.join(elsewhere, "old.cache")].toReversed()
      Fs.writeFileSync(old, "")
      age(old)
      Fs.rmSync(folder, { recursive: true })
      Fs.symlinkSync(elsewhere, folder)
      launch(home)
      assert.isTrue(Fs.existsSync(old))
    }))

  it("needs no cache: none is made where Node is told to make none, or there is no home", () =>
    withHome((home) => {
      assert.deepStrictEqual(launch(home, { NODE_DISABLE_COMPILE_CACHE: "1" }), [])
      launch("")
      launch(Path.join(binPath, "not-a-folder"))
    }))
})

describe("V8's patience before it optimizes", () => {
  const flags = (runs: number, runsAfterNews: number) =>
    `--invocation-count-for-maglev=${runs}\n--minimum-invocations-after-ic-update=${runsAfterNews}\n`

  /** One session, ended when V8 has been told; what it was told in all. */
  const converse = async (home: string) => {
    const telling = `
      const v8 = process.getBuiltinModule("node:v8")
      const set = v8.setFlagsFromString
      v8.setFlagsFromString = (flag) => { set(flag); process.stderr.write(flag + "\\n") }`
    using state = new StateDir({ localModels: { mode: "scripted" } })
    using bin = new Bin(state, { nodeOptions: importing(telling), env: { HOME: home } })
    const told = once(bin.child.stderr, "data")
    await bin.session()
    await told
    bin.child.stdin.end()
    await bin.exited
    return bin.stderr
  }

  it("is shortened when the start is over, and the code caches fit the next start all the same", () =>
    withHome(async (home) => {
      const folder = Path.join(home, ".cache/atomic-agent-sidecar")
      const times = () => Fs.readdirSync(folder).map((name) => Fs.statSync(Path.join(folder, name)).mtimeMs)
      assert.strictEqual(await converse(home), flags(50, 50) + (flags(400, 500) + flags(50, 50)).repeat(2))
      const before = times()
      assert.lengthOf(before, 2)
      assert.strictEqual(await converse(home), flags(50, 50))
      assert.deepStrictEqual(times(), before)
    }))
})

describe("a signal that comes before the program hears signals", () => {
  const moments = {
    "while the program is compiled": "process.kill(process.pid, signal); return run.call(this)",
    "before it has begun, if it never does":
      "return () => { process.kill(process.pid, signal); setInterval(() => {}, 1000) }"
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
