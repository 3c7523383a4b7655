import type { Counts } from "./Counts.ts"
import { longLife } from "./LongLife.ts"
import { drawWorld } from "./Plan.ts"
import { type Breach, World } from "./World.ts"

export interface Options {
  readonly seed: number
  /** The number of the first world. */
  readonly first: number
  /** Worlds are begun as long as this says so. */
  readonly goesOn: (index: number) => boolean
  /** So long does one process live beside them, from the first world to the last. */
  readonly longGoesOn: () => boolean
  /** How many are played at a time. */
  readonly sideBySide: number
  /** Mounts of this process are gone with it. */
  readonly canMount: boolean
  readonly counts: Counts
  readonly onBreach: (breach: Breach) => void
}

/** Plays worlds, from the first one on. */
export const torture = async (options: Options): Promise<void> => {
  const { canMount, counts, first, goesOn, longGoesOn, onBreach, seed, sideBySide } = options
  let next = first
  const play = async () => {
    while (goesOn(next)) {
      const breaches = await World.play(drawWorld(seed, next++), canMount, counts)
      breaches.forEach(onBreach)
    }
  }
  const worlds = Promise.all(Array.from({ length: sideBySide }, play))
  const long = async () => {
    if (!longGoesOn()) return
    const { breaches } = await longLife(seed, longGoesOn, worlds, counts)
    breaches.forEach(onBreach)
  }
  await Promise.all([long(), worlds])
}
