import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as esbuild from "esbuild"
import * as vite from "vite"
import { binPath, root, StateDir } from "../support/Bin.ts"

/** An app that starts the bin it is given, asks one thing of it, and prints the answer or the error. */
const app = `
import { SidecarHost } from "atomic-agent-sidecar/host"

const main = async () => {
  const host = SidecarHost.spawn({ bin: process.argv[2] })
  const { ok } = await host.request("ping")
  const { exitCode } = await host.shutdown()
  return { ok, exitCode }
}

main().then(JSON.stringify, ({ _tag, message }) => _tag + ": " + message).then(console.log)
`

/** The app in a folder of its own, beside which the package is installed. */
const project = () => {
  const dir = new StateDir({ localModels: { mode: "scripted" } })
  const file = (path: string) => Path.join(dir.path, path)
  Fs.mkdirSync(file("node_modules"))
  Fs.symlinkSync(root, file("node_modules/atomic-agent-sidecar"), "junction")
  Fs.writeFileSync(file("app.js"), app)
  const run = async (bundle: string, ...args: ReadonlyArray<string>) => {
    // Only the bundle is shipped.
    Fs.rmSync(file("node_modules"), { recursive: true, force: true })
    const env = { ...process.env, ATOMIC_AGENT_STATE_DIR: dir.path }
    const { stdout } = await promisify(execFile)(process.execPath, [bundle, ...args], { cwd: dir.path, env })
    return stdout.trim()
  }
  return { file, run, [Symbol.dispose]: () => dir[Symbol.dispose]() }
}

type Project = ReturnType<typeof project>

const withEsbuild =
  (format: "cjs" | "esm") =>
  async ({ file }: Project): Promise<string> => {
    const outfile = file(format === "cjs" ? "out/app.cjs" : "out/app.mjs")
    const options = { bundle: true, platform: "node", logLevel: "silent" } as const
    await esbuild.build({ ...options, entryPoints: [file("app.js")], outfile, format })
    return outfile
  }

const withVite =
  (format: "cjs" | "es") =>
  async ({ file }: Project): Promise<string> => {
    const entryFileNames = format === "cjs" ? "app.cjs" : "app.mjs"
    await vite.build({
      root: file("."),
      configFile: false,
      logLevel: "silent",
      ssr: { noExternal: true },
      build: { ssr: file("app.js"), outDir: file("out"), rollupOptions: { output: { format, entryFileNames } } }
    })
    return file(`out/${entryFileNames}`)
  }

const bundlers: ReadonlyArray<[name: string, bundle: (project: Project) => Promise<string>]> = [
  ["esbuild as a CommonJS module", withEsbuild("cjs")],
  ["esbuild as an ES module", withEsbuild("esm")],
  ["vite as a CommonJS module", withVite("cjs")],
  ["vite as an ES module", withVite("es")]
]

describe.each(bundlers)("a host bundled by %s", (_, bundle) => {
  it("runs the bin that it is given, and asks for one where it is given none", async () => {
    using installed = project()
    const file = await bundle(installed)
    assert.lengthOf(Fs.readdirSync(installed.file("out")), 1)
    assert.strictEqual(await installed.run(file, binPath), `{"ok":true,"exitCode":0}`)
    assert.match(await installed.run(file), /^BinNotFound: .*: give SidecarHost\.spawn the path .* as the option "bin"/)
    assert.match(
      await installed.run(file, "/no/such/main.js"),
      /^BinNotFound: there is no file \/no\/such\/main\.js: give/
    )
  })
})
