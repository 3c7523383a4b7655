import { assert, describe, it } from "@effect/vitest"
import { Counts } from "../../scripts/torture/Counts.ts"
import { drawWorld } from "../../scripts/torture/Plan.ts"
import { reportOf } from "../../scripts/torture/Report.ts"
import { torture } from "../../scripts/torture/Torture.ts"

/** The same plans each time; `npm run torture -- --minutes N` plays others. */
const seed = 11
const worlds = 5
const stretches = 2

describe("random hosts, model servers and disks", { timeout: 240_000 }, () => {
  it("find no breach of the contract, no lost record and nothing left behind", async () => {
    const counts = new Counts()
    const reports: Array<string> = []
    let left = stretches
    await torture({
      seed,
      first: 0,
      goesOn: (index) => index < worlds,
      longGoesOn: () => left-- > 0,
      sideBySide: 4,
      canMount: false,
      counts,
      onBreach: (breach) => reports.push(reportOf(seed, breach))
    })
    assert.deepStrictEqual(reports, [])
    assert.isAtLeast(counts.of("lives"), worlds)
    assert.isAtLeast(counts.of("turns: reply"), 1)
    assert.isAtLeast(counts.of("databases looked through"), worlds)
  })

  it("are planned the same way again, so that a seed shows a breach again", () => {
    for (let index = 0; index < 20; index++) {
      assert.deepStrictEqual(drawWorld(seed, index), drawWorld(seed, index))
      assert.notDeepEqual(drawWorld(seed, index).lives, drawWorld(seed + 1, index).lives)
    }
  })
})
