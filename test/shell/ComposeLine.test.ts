import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { composeLine, missingProgram, runnerOf } from "../../src/shell/reads/ComposeLine.ts"

const words = [
  "",
  "a b",
  "it's",
  "''",
  '"',
  "\\",
  "\\'",
  "a\nb",
  "\t",
  "!",
  "!!",
  "*",
  "[a]",
  "~",
  "$HOME",
  "`x`",
  "$(x)"
]
const more = ["if", "{", "}", "&&", ";", "|", ">x", "#", "-n", "--", "{a,b}", "é", "'\\''", "a=b", "2>&1", "\r", "\x01"]

const shells = ["dash", "bash", "sh"].filter((shell) => spawnSync(shell, ["-c", ":"]).error === undefined)

describe("a composed line", () => {
  it("is its words in quotes, with what joins them", () => {
    const line = composeLine([
      { joint: ";", words: ["/bin/a", "it's"], joins: ["2>&1"] },
      { joint: "|", words: ["/bin/b", ""], joins: [] },
      { joint: "||", words: ["/bin/c"], joins: ["1>&2", "2>&1"] }
    ])
    assert.strictEqual(line, "'/bin/a' 'it'\\''s' 2>&1 | '/bin/b' '' || '/bin/c' 1>&2 2>&1")
  })

  it("needs no shell for one command", () => {
    const one = { joint: ";", words: ["/bin/a", "b c"], joins: [] }
    assert.deepStrictEqual(runnerOf([one]), { command: "/bin/a", args: ["b c"] })
    const joined = [{ ...one, joins: ["2>&1"] }]
    assert.deepStrictEqual(runnerOf(joined), { command: "/bin/sh", args: ["-c", composeLine(joined)] })
    assert.strictEqual(runnerOf([one, one]).command, "/bin/sh")
  })

  it.each(shells)("gives a program every word as it is, in %s", (shell) => {
    const all = [...words, ...more]
    const line = composeLine([{ joint: ";", words: ["/usr/bin/env", "printf", "%s\\0", ...all], joins: [] }])
    const { stdout } = spawnSync(shell, ["-c", line], { encoding: "utf8" })
    assert.deepStrictEqual(stdout.split("\0").slice(0, -1), all)
  })

  it.each(shells)("says of a missing program what a shell says, and goes on as it would, in %s", (shell) => {
    const missing = { joint: ";", words: missingProgram("rg"), joins: [] }
    const only = spawnSync(shell, ["-c", composeLine([missing])], { encoding: "utf8" })
    assert.deepStrictEqual([only.status, only.stdout, only.stderr], [127, "", "rg: command not found\n"])
    const echo = { joint: "||", words: ["/bin/echo", "other"], joins: [] }
    const both = spawnSync(shell, ["-c", composeLine([{ ...missing, joins: ["2>&1"] }, echo])], { encoding: "utf8" })
    assert.deepStrictEqual([both.status, both.stdout], [0, "rg: command not found\nother\n"])
  })
})
