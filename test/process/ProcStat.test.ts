import { assert, describe, it } from "@effect/vitest"
import { parse } from "../../src/process/ProcStat.ts"

/** `/proc/<pid>/stat` with a name, a state and a start time. */
const stat = (name: string, state: string, ticks: string) =>
  `42 (${name}) ${state} 1 42 40 0 -1 4194304 97 0 0 0 0 0 0 0 20 0 1 0 ${ticks} 3133440 381`

describe("ProcStat", () => {
  it.each([
    [
      "a running program",
      stat("node", "S", "589264"),
      { isRunning: true, group: 42, session: 40, startTicks: "589264" }
    ],
    [
      "a name with blanks and brackets",
      stat("a) Z (b c", "R", "7"),
      { isRunning: true, group: 42, session: 40, startTicks: "7" }
    ],
    [
      "a program that is dead and not reaped",
      stat("node", "Z", "589264"),
      { isRunning: false, group: 42, session: 40, startTicks: "589264" }
    ],
    ["a text that is something else", "nothing", undefined]
  ])("reads the line of %s", (_, text, expected) => {
    assert.deepStrictEqual(parse(text), expected)
  })
})
