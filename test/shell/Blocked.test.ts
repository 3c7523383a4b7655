import { assert, describe, it } from "@effect/vitest"
import type { ShellPlace } from "../../src/shell/ProtectedPaths.ts"
import { judge } from "../../src/shell/Rules.ts"
import { disks } from "./blocked/Disks.ts"
import { erasing } from "./blocked/Erasing.ts"
import { harmless } from "./blocked/Harmless.ts"
import { places } from "./blocked/Places.ts"
import { processes } from "./blocked/Processes.ts"
import { spelling } from "./blocked/Spelling.ts"

const place: ShellPlace = { cwd: "/home/ada/project", home: "/home/ada", env: { USER: "ada", PATH: "/bin" } }

/** The lines of a table that do not get the verdict. None of them is ever run. */
const others = (lines: ReadonlyArray<string>, isBlocked: boolean) =>
  lines.filter((line) => (judge(line, place, "linux")._tag === "Blocked") !== isBlocked)

describe("a command line is blocked", () => {
  for (const [kind, lines] of Object.entries({ ...erasing, ...spelling, ...places, ...disks, ...processes })) {
    it(`${kind} (${lines.length} lines)`, () => assert.deepStrictEqual(others(lines, true), []))
  }
})

describe("a command line is not blocked", () => {
  for (const [kind, lines] of Object.entries(harmless)) {
    it(`that ${kind} (${lines.length} lines)`, () => assert.deepStrictEqual(others(lines, false), []))
  }
})

describe("a command line of the greatest length", () => {
  it.each([
    "cd x;",
    "find / -exec ",
    "f(){ f; };",
    "f() { ",
    "a+=(x);",
    "alias x=x;x;",
    'set -- "$@" x;',
    "{ echo;",
    "cat <("
  ])("gets a verdict, of nothing but %j", (piece) => {
    assert.include(["Asks", "Blocked"], judge(piece.repeat(131_072 / piece.length), place, "linux")._tag)
  })
})
