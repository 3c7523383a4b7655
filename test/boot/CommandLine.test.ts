import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import packageJson from "../../package.json" with { type: "json" }
import { command } from "../support/Bin.ts"

const run = (...args: ReadonlyArray<string>) => {
  const [program, ...first] = command
  const options = { encoding: "utf8", timeout: 20_000, input: "" } as const
  const { status, stderr, stdout } = spawnSync(program, [...first, ...args], options)
  return { status, stderr, stdout }
}

describe("the command line of the sidecar", () => {
  it("--version prints the version, and Node's", () => {
    const { status, stderr, stdout } = run("--version")
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
    const versions = `atomic-agent-sidecar ${packageJson.version}, Node.js ${process.versions.node}`
    assert.strictEqual(stdout.trimEnd().replace(/, code cache: .*$/, ""), versions)
  })

  it("--help prints what it is for and both options", () => {
    const { status, stderr, stdout } = run("--help")
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
    assert.match(stdout, /^Usage: atomic-agent-sidecar\n/)
    assert.match(stdout, /stdin[^]*stdout[^]*--help[^]*--version/)
  })

  it.skipIf(process.platform === "win32")("ends in peace where nobody reads what it prints", () => {
    const line = `${command.map((word) => `'${word}'`).join(" ")} --help 2>&1 >&3 3>&- | cat`
    const { stderr, stdout } = spawnSync("/bin/sh", ["-c", `{ ${line}; } 3>/dev/full`], { encoding: "utf8" })
    assert.deepStrictEqual({ stderr, stdout }, { stderr: "", stdout: "" })
  })

  const wrong: ReadonlyArray<ReadonlyArray<string>> = [
    ["--verbose"],
    ["-v"],
    ["serve"],
    [""],
    ["--version", "--help"],
    ["--help", "me"],
    ["two\nlines"],
    ["--run-script"]
  ]
  it.each(wrong.map((args) => [args]))("refuses %j with one line on stderr and exit code 64", (args) => {
    const { status, stderr, stdout } = run(...args)
    assert.deepStrictEqual({ status, stdout }, { status: 64, stdout: "" })
    assert.match(stderr, /^atomic-agent-sidecar takes --help, --version or no argument, not ".*"\n$/)
  })
})
