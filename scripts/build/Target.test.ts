import { assert, describe, it } from "@effect/vitest"
import { executableName, targetOf } from "./Target.ts"

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
})
