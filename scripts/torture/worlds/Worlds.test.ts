import { assert, describe, it } from "@effect/vitest"
import { drawWorld } from "./Plan.ts"
import { playWorlds } from "./Worlds.ts"

/** The same plans each time; `npm run torture` plays others. */
const seed = 11
const lives = 12

describe("random hosts, model servers and disks", () => {
  it("find no breach of the contract, no lost record and nothing left behind", { timeout: 240_000 }, async () => {
    const goesOn = (lived: number) => lived < lives
    const options = { name: "worlds", seed, goesOn, withLongLife: true, sideBySide: 4, canMount: false }
    const { breaches, counts } = await playWorlds(options)
    assert.deepStrictEqual(
      breaches.flatMap(({ violations }) => violations),
      []
    )
    assert.isAtLeast(counts.of("lives"), lives)
    assert.isAtLeast(counts.of("turns: reply"), 1)
    assert.isAtLeast(counts.of("databases looked through"), 5)
  })

  it("are planned the same way again, so that a seed shows a breach again", () => {
    for (let index = 0; index < 20; index++) {
      assert.deepStrictEqual(drawWorld(seed, index), drawWorld(seed, index))
      assert.notDeepEqual(drawWorld(seed, index).lives, drawWorld(seed + 1, index).lives)
    }
  })
})
