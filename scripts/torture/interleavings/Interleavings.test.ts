import { assert, describe, it } from "@effect/vitest"
import { faultsOf, interleavings, plansOf, run } from "./Interleavings.ts"

/** The same plans each time; `npm run torture -- --scenario interleavings` plays more, and others. */
const runs = Number(process.env["SIMULATION_RUNS"] ?? 500)
const seed = Number(process.env["SIMULATION_SEED"] ?? 3)

/** Events without which a host's picture of a session is wrong. */
const essential = new Set(["user_message", "steer_applied", "steer_undelivered", "assistant_reply", "tool_call_result"])

describe("random interleavings of all that a host, a model, tools and time can do", () => {
  it(`keep the contract, ${runs} of them`, () => interleavings(seed, runs), 60_000 + runs * 200)

  it("play the same way again, so that a seed shows a failure again", async () => {
    for (const plan of plansOf(seed, 25)) {
      const [once, again] = [await run(plan), await run(plan)].map(({ frames }) =>
        frames.map((frame) => (frame.kind === "event" ? frame.type : `→ ${frame.correlationId}`))
      )
      assert.deepStrictEqual(once, again)
    }
  })

  it("are checked: whatever a host must not miss is missed when it is left out", async () => {
    let missed = 0
    for (const plan of plansOf(seed, 40)) {
      const played = await run(plan)
      assert.deepStrictEqual(faultsOf(played), [])
      for (const [at, frame] of played.frames.entries()) {
        if (frame.kind === "event" && !essential.has(frame.type)) continue
        const isLost = played.posted.some(
          ({ id, isLost }) => isLost && frame.kind === "response" && frame.correlationId === id
        )
        if (isLost) continue
        const without = { ...played, frames: played.frames.toSpliced(at, 1) }
        assert.isNotEmpty(faultsOf(without), JSON.stringify(frame))
        missed++
      }
    }
    assert.isAbove(missed, 400)
  })
})
