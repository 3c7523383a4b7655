import { execFileSync, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it, vi } from "@effect/vitest"
import { Bin, binPath, StateDir } from "../support/Bin.ts"

const ping = '{"kind":"request","id":"1","type":"ping"}\n'

/** Runs the bin once, by default with a session in it, checks that it answers, and returns the files in its cache folder. */
const launch = (home: string, env: NodeJS.ProcessEnv = {}, type: "ping" | "session" = "session") => {
  using state = new StateDir({ localModels: { mode: "scripted" } })
  const session = { kind: "request", id: "2", type: "start_session", payload: { workingDir: state.path } }
  const input = type === "ping" ? ping : `${ping}${JSON.stringify(session)}\n`
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

describe("the code cache of the bin", () => {
  it("can be read by its user only, and is not written again", () =>
    withHome((home) => {
      const [cache = ""] = launch(home)
      assert.strictEqual(Fs.statSync(cache).mode & 0o777, 0o600)
      assert.strictEqual(Fs.statSync(Path.dirname(cache)).mode & 0o777, 0o700)
      const before = Fs.statSync(cache).mtimeMs
      assert.deepStrictEqual(launch(home), [cache])
      assert.strictEqual(Fs.statSync(cache).mtimeMs, before)
    }))

  it("is written once a session has run: what answers a ping is a small part of the program", () =>
    withHome((home) => {
      assert.deepStrictEqual(launch(home, {}, "ping"), [])
      assert.lengthOf(launch(home), 1)
    }))

  it("is written by a process that is killed later", () =>
    withHome(async (home) => {
      const hurry = `const { setInterval } = globalThis
        globalThis.setInterval = (run, ms) => setInterval(run, ms === 5000 ? 10 : ms)`
      using state = new StateDir({ localModels: { mode: "scripted" } })
      const nodeOptions = ["--import", `data:text/javascript,${encodeURIComponent(hurry)}`]
      using bin = new Bin(state, { nodeOptions, env: { HOME: home } })
      await bin.session()
      const folder = Path.join(home, ".cache/atomic-agent-sidecar")
      await vi.waitUntil(
        () => Fs.existsSync(folder) && Fs.readdirSync(folder).some((name) => name.endsWith(".cache")),
        {
          timeout: 20_000
        }
      )
      bin.child.kill("SIGKILL")
      await bin.exited
      const [cache = ""] = Fs.readdirSync(folder).map((name) => Path.join(folder, name))
      const before = Fs.statSync(cache).mtimeMs
      assert.deepStrictEqual(launch(home), [cache])
      assert.strictEqual(Fs.statSync(cache).mtimeMs, before)
    }))

  it("is written again if its file is damaged", () =>
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
  it.each(Object.entries(damages))("is not used after a disk has damaged it: %s", (_what, damage) =>
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

  it("leaves no temporary file where it cannot be written, and makes no home", () =>
    withHome((home) => {
      const [cache = ""] = launch(home)
      Fs.rmSync(cache)
      Fs.mkdirSync(cache)
      assert.deepStrictEqual(launch(home), [cache])
      assert.deepStrictEqual(launch(Path.join(home, "nowhere")), [])
      assert.isFalse(Fs.existsSync(Path.join(home, "nowhere")))
    }))

  it("is left out where no folder can be made: procfs", () => {
    assert.deepStrictEqual(launch("", { XDG_CACHE_HOME: "/proc" }), [])
  })

  it("is written, and old temporary files of killed processes are removed", () =>
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
  it.each(Object.entries(inItsPlace))("is not read from %s", (_what, put) =>
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

  it("is removed when it is older than a month", () =>
    withHome((home) => {
      const folder = Path.join(home, ".cache/atomic-agent-sidecar")
      Fs.mkdirSync(folder, { recursive: true })
      const old = Path.join(folder, "old.cache")
      Fs.writeFileSync(old, "")
      Fs.utimesSync(old, new Date(0), new Date(0))
      assert.notInclude(launch(home), old)
    }))

  it("is all that is removed: no other file, and nothing through a link", () =>
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

  it("is not written with NODE_DISABLE_COMPILE_CACHE or without a home", () =>
    withHome((home) => {
      assert.deepStrictEqual(launch(home, { NODE_DISABLE_COMPILE_CACHE: "1" }), [])
      launch("")
      launch(Path.join(binPath, "not-a-folder"))
    }))
})
