import { spawn } from "node:child_process"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterEach, vi } from "vitest"
import { isRunning, terminate } from "../../src/process/ProcessSession.ts"
import { eventually } from "../support/Patience.ts"

afterEach(() => void vi.restoreAllMocks())

describe.skipIf(process.platform === "win32")("the end of a process session", () => {
  it.live("comes two seconds after TERM by the clock, however long each look takes on a busy machine", () =>
    Effect.gen(function* () {
      const child = spawn("/bin/sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 600; done"], {
        detached: true,
        stdio: ["ignore", "pipe", "ignore"]
      })
      yield* Effect.promise(() => once(child.stdout, "data"))
      const group = child.pid ?? assert.fail("not started")
      // Between two looks half a second goes by.
      const now = performance.now()
      let looks = 0
      vi.spyOn(performance, "now").mockImplementation(() => now + 500 * looks++)
      yield* terminate(group)
      assert.isAtMost(looks, 5)
      yield* Effect.promise(() => once(child, "exit"))
      // What it had started was killed with it, and may need a moment longer.
      yield* eventually("the end of the group", () => !isRunning(group))
    })
  )
})
