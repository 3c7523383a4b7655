import { reportOf, type Breach } from "./Breach.ts"
import { Counts } from "./Counts.ts"
import { longLife, longWorld } from "./LongLife.ts"
import { drawWorld, type WorldPlan } from "./Plan.ts"
import { World } from "./World.ts"

export interface WorldsOptions {
  /** The scenario that is named in reports. */
  readonly name: string
  readonly seed: number
  /** The plan of the world with this index. */
  readonly draw?: (seed: number, index: number) => WorldPlan
  /** Plays this world only. */
  readonly only?: number | undefined
  /** Worlds are begun, and the long life goes on, as long as this is true; `lives` is how many have been lived. */
  readonly goesOn: (lives: number) => boolean
  /** One process lives on beside the worlds. */
  readonly withLongLife?: boolean
  /** Worlds at a time. */
  readonly sideBySide?: number
  /** Mounts of this process are gone with it. */
  readonly canMount: boolean
}

/** Nothing new is learned from more breaches. */
const mostBreaches = 20

/** Plays worlds, from the first one on; prints each breach as it comes. */
export const playWorlds = async (
  options: WorldsOptions
): Promise<{ readonly counts: Counts; readonly breaches: ReadonlyArray<Breach> }> => {
  const { canMount, draw = drawWorld, goesOn, name, only, seed, sideBySide = 5, withLongLife = false } = options
  const counts = new Counts()
  const breaches: Array<Breach> = []
  const add = (more: ReadonlyArray<Breach>) => {
    breaches.push(...more)
    for (const breach of more) console.log(reportOf(name, breach))
  }
  const hasMore = () => goesOn(counts.of("lives")) && breaches.length < mostBreaches
  let next = 0
  const play = async () => {
    while (hasMore()) add(await World.play(draw(seed, next++), canMount, counts))
  }
  const playLong = async (others: Promise<unknown>) => add((await longLife(seed, hasMore, others, counts)).breaches)
  if (only === longWorld) await playLong(Promise.resolve())
  else if (only !== undefined) add(await World.play(draw(seed, only), canMount, counts))
  else {
    const worlds = Promise.all(Array.from({ length: sideBySide }, play))
    await Promise.all([worlds, withLongLife ? playLong(worlds) : undefined])
  }
  return { counts, breaches }
}
