import { spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { isAlive, self, startFrom } from "../../src/process/ProcessIdentity.ts"

/** `/proc/<pid>/stat` with a name, a state and a start time. */
const stat = (name: string, state: string, ticks: string) =>
  `42 (${name}) ${state} 1 42 42 0 -1 4194304 97 0 0 0 0 0 0 0 20 0 1 0 ${ticks} 3133440 381`

describe("Owner", () => {
  it.each([
    ["a running program", stat("node", "S", "589264"), "589264"],
    ["a name with blanks and brackets", stat("a) Z (b c", "R", "7"), "7"],
    ["a program that is dead and not reaped", stat("node", "Z", "589264"), undefined],
    ["a text that is something else", "nothing", undefined]
  ])("reads the start of %s", (_, text, expected) => {
    assert.strictEqual(startFrom(text), expected)
  })

  it("knows itself, and not an earlier process with its number", () => {
    assert.isTrue(isAlive(self()))
    assert.isFalse(isAlive({ ...self(), started: "earlier" }))
  })

  it("tells a process that runs from one that is gone, and from one that had its number before", async () => {
    const child = spawn(process.execPath, [
      "--eval",
      `import(${JSON.stringify(import.meta.resolve("../../src/process/ProcessIdentity.ts"))})
        .then(({ self }) => console.log(JSON.stringify(self())))
       process.stdin.resume()`
    ])
    const owner = await new Promise<ReturnType<typeof self>>((resolve) =>
      child.stdout.once("data", (line) => resolve(JSON.parse(String(line))))
    )
    assert.isTrue(isAlive(owner))
    if (process.platform === "linux") assert.isFalse(isAlive({ ...owner, started: "earlier" }))
    const gone = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await gone
    assert.isFalse(isAlive(owner))
  })
})
