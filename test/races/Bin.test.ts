import { assert, describe, it } from "@effect/vitest"
import { bootSignals } from "../../scripts/races/BootSignals.ts"
import { brokenPipes } from "../../scripts/races/BrokenPipes.ts"
import { company } from "../../scripts/races/Company.ts"
import { crowd } from "../../scripts/races/Crowd.ts"
import { delays } from "../../scripts/races/Delays.ts"
import { hostKilled } from "../../scripts/races/HostKilled.ts"
import { kills } from "../../scripts/races/Kills.ts"
import { longSession } from "../../scripts/races/LongSession.ts"
import { realTools } from "../../scripts/races/RealTools.ts"

// Smaller than by `npm run races`, which plays the same and tells the figures.
describe("the bin", { timeout: 120_000 }, () => {
  it("ends a turn once, and plays the next one, wherever in the turn a cancel comes: 0 to 50 ms", async () => {
    const figures = await delays(Array.from({ length: 51 }, (_, delay) => delay))
    assert.strictEqual(figures[0]?.value, 51)
  })

  it("keeps a whole database and all that was told through kills at random moments", async () => {
    const figures = await kills(12, 3)
    assert.strictEqual(figures[0]?.value, 12)
  })

  it("plays side by side with others on one state directory, all turns stored", async () => {
    const figures = await company(4, 15)
    assert.strictEqual(figures[0]?.value, 60)
  })

  it("answers a crowd of messages in order, and memory stays as it is", async () => {
    const { grownMiB } = await crowd(300, 2)
    assert.isBelow(grownMiB, 60)
  })

  it("writes no more for a late turn than for an early one", async () => {
    const { bytesNow, bytesThen } = await longSession(200)
    assert.isBelow(bytesNow, 1.25 * bytesThen)
  })

  it.each(["end of input", "parent gone"] as const)(
    "is gone with all its children when its host was killed, by the sign: %s",
    async (sign) => {
      await hostKilled(sign)
    }
  )

  it("is gone at once, and does next to nothing, when all three pipes close during output", async () => {
    await brokenPipes()
  })

  it("exits 0 wherever in its own start it is ended", async () => {
    await bootSignals(Array.from({ length: 11 }, (_, index) => 20 * index))
  })

  it("keeps the contract and leaves nothing running, whatever is sent, asked, answered and ended while tools run", async () => {
    const figures = await realTools({ runs: 12, seed: 1 })
    assert.strictEqual(figures[0]?.value, 12)
  })
})
