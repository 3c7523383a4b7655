import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { plan } from "../../scripts/races/Acts.ts"
import { interleavings } from "../../scripts/races/Interleavings.ts"
import { judge } from "../../scripts/races/Oracle.ts"
import { play } from "../../scripts/races/Play.ts"

/** The same plans each time; `npm run races -- interleavings --runs N --seed N` plays others. */
const seed = 3

describe("random interleavings of all that a host, a model, tools and time can do", () => {
  it("keep the contract, 2,000 of them", () => interleavings({ runs: 2000, seed }), 240_000)

  it("play the same way again, so that a seed shows a failure again", async () => {
    for (const each of fc.sample(plan, { numRuns: 25, seed })) {
      const [once, again] = [await Effect.runPromise(play(each)), await Effect.runPromise(play(each))].map(
        ({ frames }) => frames.map((frame) => (frame.kind === "event" ? frame.type : `→ ${frame.correlationId}`))
      )
      assert.deepStrictEqual(once, again)
    }
  })

  it("are judged: whatever a host must not miss is missed when it is left out", async () => {
    const telling = new Set([
      "user_message",
      "steer_applied",
      "steer_undelivered",
      "assistant_reply",
      "tool_call_result"
    ])
    let missed = 0
    for (const each of fc.sample(plan, { numRuns: 40, seed })) {
      const played = await Effect.runPromise(play(each))
      assert.deepStrictEqual(judge(played), [])
      for (const [at, frame] of played.frames.entries()) {
        if (frame.kind === "event" && !telling.has(frame.type)) continue
        const late = played.posted.some(
          ({ id, isLost }) => isLost && frame.kind === "response" && frame.correlationId === id
        )
        if (late) continue
        assert.isNotEmpty(judge({ ...played, frames: played.frames.toSpliced(at, 1) }), JSON.stringify(frame))
        missed++
      }
    }
    assert.isAbove(missed, 400)
  })
})
