import { assert, describe, it } from "@effect/vitest"
import { cancels } from "./scenarios/Cancels.ts"
import { longSession } from "./scenarios/LongSession.ts"
import { queue } from "./scenarios/Queue.ts"
import { shared } from "./scenarios/Shared.ts"
import { signals } from "./scenarios/Signals.ts"
import { type ScenarioOptions, scenarios } from "./Scenarios.ts"

const options: ScenarioOptions = { seed: 3, runs: undefined, minutes: 1, world: undefined, canMount: false }

// Smaller than by `npm run torture -- --scenario NAME`, which plays the same and prints the figures.
describe("the sidecar as it is built", { timeout: 120_000 }, () => {
  it("ends a turn once, and plays the next one, wherever in the turn a cancel comes: 0 to 50 ms", () =>
    cancels(Array.from({ length: 11 }, (_, index) => 5 * index)))

  it("keeps a whole database and all that it has announced through kills at random moments", async () => {
    const figures = await scenarios.kills({ ...options, runs: 10 })
    assert.strictEqual(figures[0]?.value, 10)
  })

  it("keeps the contract and leaves nothing running, whatever is asked, approved and cancelled while tools run", () =>
    scenarios.tools({ ...options, runs: 6 }))

  it("plays side by side with others on one state directory, all turns stored", () => shared(3, 10))

  it("answers many messages in order, and memory stays as it is", () => queue(300, 2))

  it("writes no more for a late turn than for an early one", () => longSession(200))

  it("leaves no process behind when its host or itself is killed", () => scenarios.orphans())

  it("is gone at once, and does next to nothing, when all three pipes close during output", () => scenarios.pipes())

  it("exits 0 wherever in its own start it is ended", () => signals([0, 30, 60, 90, 120, 180]))
})
