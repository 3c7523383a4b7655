import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { binPath, root, StateDir } from "../support/Bin.ts"

const name = "atomic-agent-sidecar"

/** Runs the bin with a session in it, so that it writes a cache, and returns what it says on stderr. */
const launch = (home: string, preload?: string): string => {
  using state = new StateDir({ localModels: { mode: "scripted" } })
  const { status, stderr } = spawnSync(
    process.execPath,
    [...(preload === undefined ? [] : ["--import", `data:text/javascript,${encodeURIComponent(preload)}`]), binPath],
    {
      input: `${JSON.stringify({ kind: "request", id: "1", type: "start_session", payload: { workingDir: state.path } })}\n`,
      encoding: "utf8",
      timeout: 20_000,
      killSignal: "SIGKILL",
      env: { PATH: process.env["PATH"], HOME: home, ATOMIC_AGENT_STATE_DIR: state.path }
    }
  )
  assert.strictEqual(status, 0)
  return stderr
}

/**
 * The file of a cache whose code is another's: V8 takes it for the program's, since it compares no more than the length
 * of the source.
 */
const planted = (): Buffer => {
  const { length } = Fs.readFileSync(Path.join(root, "dist/sidecar/program.cjs"), "latin1")
  const code = `process.stderr.write("planted"); process.exit(0) //`
  const script = `
    const script = new (require("node:vm").Script)(${JSON.stringify(code)}.padEnd(${length}), { filename: "program.cjs" })
    const cache = script.createCachedData()
    process.stdout.write(Buffer.concat([cache, cache]))`
  return spawnSync(process.execPath, ["--eval", script], { maxBuffer: 2 ** 26 }).stdout
}

/** A home with the planted cache in it, as if this user had written it. */
const withPlanted = (use: (places: Record<"home" | "base" | "folder" | "file", string>) => void) => {
  const home = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "sidecar-home-")))
  const base = Path.join(home, ".cache")
  const folder = Path.join(base, name)
  try {
    launch(home)
    const file = Path.join(folder, Fs.readdirSync(folder)[0] ?? assert.fail("no cache was written"))
    Fs.writeFileSync(file, planted())
    use({ home, base, folder, file })
  } finally {
    Fs.chmodSync(home, 0o700)
    Fs.rmSync(home, { recursive: true, force: true })
  }
}

type Places = Parameters<Parameters<typeof withPlanted>[0]>[0]

const moved = (from: string, home: string) => {
  Fs.renameSync(from, Path.join(home, "elsewhere"))
  Fs.symlinkSync(Path.join(home, "elsewhere"), from)
}

const attacks: { readonly [what: string]: (places: Places) => void } = {
  "a file that all can write": ({ file }) => Fs.chmodSync(file, 0o666),
  "a file that a group can write": ({ file }) => Fs.chmodSync(file, 0o660),
  "a link to a file of this user": ({ file, home }) => moved(file, home),
  "a folder that all can write": ({ folder }) => Fs.chmodSync(folder, 0o777),
  "a folder that a group can write": ({ folder }) => Fs.chmodSync(folder, 0o770),
  "a folder for all, like /tmp": ({ folder }) => Fs.chmodSync(folder, 0o1777),
  "a link to a folder of this user": ({ folder, home }) => moved(folder, home),
  "a folder in one that all can write": ({ base }) => Fs.chmodSync(base, 0o777),
  "a folder in one that a group can write": ({ base }) => Fs.chmodSync(base, 0o770),
  "a folder in a link to one that all can write": ({ base, home }) => {
    moved(base, home)
    Fs.chmodSync(Path.join(home, "elsewhere"), 0o777)
  },
  "a home that all can write": ({ home }) => Fs.chmodSync(home, 0o777)
}

const nobody = 65534
const ofOthers: typeof attacks = {
  "a file of another user": ({ file }) => Fs.chownSync(file, nobody, nobody),
  "a folder of another user": ({ folder }) => Fs.chownSync(folder, nobody, nobody),
  "a folder in one of another user": ({ base }) => Fs.chownSync(base, nobody, nobody),
  "a home of another user": ({ home }) => Fs.chownSync(home, nobody, nobody)
}

describe.skipIf(process.platform === "win32")("code that another user may have put into the cache", () => {
  it("would run: the planted cache is one that V8 takes", () =>
    withPlanted(({ home }) => assert.strictEqual(launch(home), "planted")))

  it.each(Object.entries(attacks))("does not run from %s", (_what, attack) =>
    withPlanted((places) => {
      attack(places)
      assert.strictEqual(launch(places.home), "")
    })
  )

  // Only root can give a file away.
  it.runIf(process.getuid?.() === 0).each(Object.entries(ofOthers))("does not run from %s", (_what, attack) =>
    withPlanted((places) => {
      attack(places)
      assert.strictEqual(launch(places.home), "")
    })
  )

  it("does not run where the file is replaced just before it is opened", () =>
    withPlanted(({ file, home }) => {
      const other = Path.join(home, "other")
      Fs.renameSync(file, other)
      Fs.chmodSync(other, 0o666)
      Fs.writeFileSync(file, "good", { mode: 0o600 })
      const replacing = `
        const fs = process.getBuiltinModule("node:fs")
        for (const name of ["openSync", "readFileSync"]) {
          const open = fs[name]
          fs[name] = (file, ...rest) => {
            if (file === ${JSON.stringify(file)} && fs.existsSync(${JSON.stringify(other)})) fs.renameSync(${JSON.stringify(other)}, file)
            return open(file, ...rest)
          }
        }`
      assert.strictEqual(launch(home, replacing), "")
    }))

  it("is not written into a folder that others may write, nor over a file that is there", () =>
    withPlanted(({ base, file, folder, home }) => {
      Fs.rmSync(file)
      Fs.chmodSync(folder, 0o777)
      launch(home)
      assert.deepStrictEqual(Fs.readdirSync(folder), [])
      Fs.chmodSync(folder, 0o700)
      const victim = Path.join(base, "victim")
      Fs.writeFileSync(victim, "precious")
      const linking = `process.getBuiltinModule("node:fs").symlinkSync(${JSON.stringify(victim)}, ${JSON.stringify(file)} + "." + process.pid)`
      launch(home, linking)
      assert.strictEqual(Fs.readFileSync(victim, "utf8"), "precious")
    }))

  it("is used in a home that lies in a folder like /tmp, or behind a link", () =>
    withPlanted(({ home }) => {
      const shared = Path.join(home, "shared")
      Fs.mkdirSync(shared)
      Fs.chmodSync(shared, 0o1777)
      Fs.mkdirSync(Path.join(shared, "me"), { mode: 0o700 })
      Fs.renameSync(Path.join(home, ".cache"), Path.join(shared, "me/.cache"))
      Fs.symlinkSync(Path.join(shared, "me"), Path.join(home, "link"))
      assert.strictEqual(launch(Path.join(home, "link")), "planted")
    }))
})
