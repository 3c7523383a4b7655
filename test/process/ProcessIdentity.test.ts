import { spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { isAlive, self } from "../../src/process/ProcessIdentity.ts"

describe("ProcessIdentity", () => {
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
