import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Bin, shellCommand, StateDir } from "../support/Bin.ts"

describe("the bin, as a desktop starts it", () => {
  it("works with hardly a PATH, without a home, and in the root folder", async () => {
    using dir = new StateDir({ localModels: { mode: "scripted" } })
    using bin = new Bin(dir, {
      command: ["/bin/sh", "-c", `cd / && exec ${shellCommand}`],
      env: { PATH: "/usr/bin:/bin", HOME: "" }
    })
    const sessionId = await bin.session(Fs.realpathSync(dir.path))
    const response = await bin.request("send_message", { sessionId, text: "go" })
    assert.deepInclude(response.payload, { reason: "reply" })
    await bin.end()
  })
})
