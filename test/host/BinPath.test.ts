import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as esbuild from "esbuild"
import { nodeEnv, nodeFlags, resolveBin } from "../../src/host/BinPath.ts"
import { BinNotFound } from "../../src/host/HostError.ts"
import { SidecarHost } from "../../src/host/SidecarHost.ts"
import { binPath, root, StateDir } from "../support/Bin.ts"

describe("the sidecar that a host finds by itself", () => {
  it("is the built one, from the sources", () => {
    assert.strictEqual(resolveBin(undefined), binPath)
  })

  it("lies beside the built host, and beside its shared parts", () => {
    const dist = Fs.mkdtempSync(Path.join(Os.tmpdir(), "own bin-"))
    const bin = Path.join(dist, "sidecar/main.js")
    Fs.mkdirSync(Path.dirname(bin))
    Fs.writeFileSync(bin, "")
    for (const file of ["host.js", "chunks/host-A1.js"]) {
      assert.strictEqual(resolveBin(undefined, pathToFileURL(Path.join(dist, file)).href), bin)
    }
    Fs.rmSync(dist, { recursive: true })
  })

  it("is the one that is named, if there is one", () => {
    assert.strictEqual(resolveBin(binPath, ""), binPath)
    assert.strictEqual(resolveBin(Path.relative(process.cwd(), binPath), ""), binPath)
  })

  const unknown: ReadonlyArray<[what: string, bin: string | undefined, base: string, why: string]> = [
    [
      "the bin is not beside it",
      undefined,
      pathToFileURL("/app/main.js").href,
      "no sidecar/main.js beside /app/main.js"
    ],
    ["a bundler has emptied its URL", undefined, "", "does not know its own path"],
    ["it was loaded from the web", undefined, "http://localhost/app.js", "does not know its own path"],
    ["the named file is not there", "/app/sidecar.js", import.meta.url, "no file /app/sidecar.js"],
    ["a folder is named", root, import.meta.url, `no file ${root}`]
  ]
  it.each(unknown)("is asked for by the name of the option where %s", (_, bin, base, why) => {
    const find = () => resolveBin(bin, base)
    assert.throws(find, BinNotFound, why)
    assert.throws(find, 'as the option "bin" (the file that "atomic-agent-sidecar/sidecar" resolves to)')
  })

  it("is run by another Node where that is named too", async () => {
    using dir = new StateDir()
    const host = SidecarHost.spawn({
      command: process.execPath,
      bin: binPath,
      env: { ...process.env, ATOMIC_AGENT_STATE_DIR: dir.path }
    })
    assert.strictEqual((await host.request("ping")).version, "0.1.0")
    assert.strictEqual((await host.shutdown()).exitCode, 0)
  })

  it("is run as Node by Electron too", () => {
    const env = { PATH: "/bin" }
    assert.strictEqual(nodeEnv(env), env)
    assert.deepStrictEqual(nodeEnv(env, { ...process.versions, electron: "38.1.0" }), {
      PATH: "/bin",
      ELECTRON_RUN_AS_NODE: "1"
    })
  })

  it("is given room for its start, but by Electron, which takes no such flags", () => {
    assert.deepStrictEqual(nodeFlags({ ...process.versions, electron: "38.1.0" }), [])
    const roomIn = (flags: ReadonlyArray<string>) => {
      const script =
        "v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_available_size"
      return Number(spawnSync(process.execPath, [...flags, "-p", script]).stdout)
    }
    assert.isAbove(roomIn(nodeFlags()), 4 * roomIn([]))
  })
})

describe("the bundled host", () => {
  it("needs nothing but Node: no Effect, no schemas", async () => {
    const { metafile } = await esbuild.build({
      entryPoints: [Path.join(root, "src/host/SidecarHost.ts")],
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
      write: false,
      metafile: true
    })
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path))
    assert.deepStrictEqual(
      imports.filter((path) => !path.startsWith("node:")),
      []
    )
    const inputs = Object.keys(metafile.inputs)
    assert.isAbove(inputs.length, 5)
    assert.deepStrictEqual(
      inputs.filter((path) => !path.startsWith("src/host/")),
      // A plain table of names, and what two deltas have in common.
      ["src/protocol/Delta.ts", "src/protocol/EventTypes.ts"]
    )
  })
})
