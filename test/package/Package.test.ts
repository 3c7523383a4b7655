import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import packageJson from "../../package.json" with { type: "json" }
import { StateDir } from "../support/Bin.ts"
import { PackedProject } from "./PackedProject.ts"

/** Bytes of all files below a folder. */
const sizeOf = (folder: string): number =>
  Fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + Fs.statSync(Path.join(entry.parentPath, entry.name)).size, 0)

describe("the package, installed from its tarball into an empty project", () => {
  let packed: PackedProject
  beforeAll(() => {
    packed = new PackedProject()
  })
  afterAll(() => packed[Symbol.dispose]())

  const manifest = () => JSON.parse(Fs.readFileSync(Path.join(packed.installed, "package.json"), "utf8"))

  const run = (code: string) => {
    const args = ["--input-type=module", "--eval", code]
    return execFileSync(process.execPath, args, { cwd: packed.path, encoding: "utf8", timeout: 20_000 }).trim()
  }

  it("brings nothing with it, and npm has nothing to warn of", () => {
    assert.deepStrictEqual({ status: packed.install.status, stderr: packed.install.stderr }, { status: 0, stderr: "" })
    const others = Fs.readdirSync(packed.modules).filter((name) => !name.startsWith("."))
    assert.deepStrictEqual(others, ["atomic-agent-sidecar"])
    assert.isBelow(sizeOf(packed.installed), 10 * 2 ** 20)
  })

  it("runs no script where it is packed.installed, and is built before it is packed", () => {
    const { scripts } = manifest()
    for (const name of ["preinstall", "install", "postinstall", "prepare", "prepublish"]) {
      assert.notProperty(scripts, name)
    }
    assert.strictEqual(scripts.prepack, scripts.build)
  })

  it("leaves Effect to those who embed the sidecar, from the version on that it was built with", () => {
    const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = manifest()
    assert.isUndefined(dependencies)
    assert.deepStrictEqual(Object.keys(peerDependencies), ["@effect/platform-node", "effect"])
    for (const [name, version] of Object.entries<string>(peerDependencies)) {
      assert.deepStrictEqual(peerDependenciesMeta[name], { optional: true })
      assert.strictEqual(version, `^${devDependencies[name]}`)
    }
  })

  it("has its license, and every file that it exports", () => {
    assert.match(Fs.readFileSync(Path.join(packed.installed, "LICENSE"), "utf8"), /^MIT License\n/)
    const { bin, exports } = manifest()
    const entries: ReadonlyArray<string | Record<string, string>> = [bin, ...Object.values<string>(exports)]
    const files = entries.flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)))
    assert.isAbove(files.length, 5)
    for (const file of files) assert.isTrue(Fs.existsSync(Path.join(packed.installed, file)), file)
  })

  it("has the sidecar and its libraries, but no source, no test and no executable", () => {
    const names = Fs.readdirSync(packed.installed)
    assert.sameMembers(names, ["CHANGELOG.md", "LICENSE", "README.md", "dist", "docs", "package.json"])
    const sidecar = ["launch.cjs", "main.js", "package.json", "program.cjs", "program.cjs.map"]
    assert.deepStrictEqual(Fs.readdirSync(Path.join(packed.installed, "dist/sidecar")).toSorted(), sidecar)
    assert.notInclude(Fs.readdirSync(Path.join(packed.installed, "dist")), "binary")
  })

  it("puts a command into node_modules/.bin", () => {
    const suffix = process.platform === "win32" ? ".cmd" : ""
    const command = Path.join(packed.modules, ".bin", `atomic-agent-sidecar${suffix}`)
    const options = { encoding: "utf8", shell: process.platform === "win32" } as const
    assert.include(execFileSync(command, ["--version"], options), packageJson.version)
  })

  it("tells where the sidecar lies, and its version", () => {
    const code = `
      import { fileURLToPath } from "node:url"
      import manifest from "atomic-agent-sidecar/package.json" with { type: "json" }
      console.log(fileURLToPath(import.meta.resolve("atomic-agent-sidecar/sidecar")), manifest.version)`
    assert.strictEqual(run(code), `${Path.join(packed.installed, "dist/sidecar/main.js")} ${packageJson.version}`)
  })

  it("has a host that starts the sidecar and needs nothing else", () => {
    using state = new StateDir()
    const code = `
      import { SidecarHost } from "atomic-agent-sidecar/host"
      const host = SidecarHost.spawn({ env: { ...process.env, ATOMIC_AGENT_STATE_DIR: ${JSON.stringify(state.path)} } })
      const { version } = await host.request("ping")
      const { exitCode } = await host.shutdown()
      console.log(version, exitCode)`
    assert.strictEqual(run(code), `${packageJson.version} 0`)
  })
})
