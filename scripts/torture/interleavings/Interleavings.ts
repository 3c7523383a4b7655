import * as Effect from "effect/Effect"
import { check } from "../runs/RunChecker.ts"
import { seedOf } from "../../../src/testing/SeededRandom.ts"
import { drawPlan, type Plan } from "./Plan.ts"
import { play, type Played } from "./Player.ts"

/** The plans that are played: as many each time, and the same ones. */
export const plansOf = (seed: number, runs: number): ReadonlyArray<Plan> =>
  Array.from({ length: runs }, (_, index) => drawPlan(seedOf(seed, index)))

export const run = (plan: Plan): Promise<Played> => Effect.runPromise(play(plan))

export const faultsOf = (played: Played): ReadonlyArray<string> => [...played.stuck, ...check(played)]

/** Plays plans; rejects with the smallest plan that shows it, if one breaks the contract. */
export const interleavings = async (seed: number, runs: number): Promise<void> => {
  for (const [index, plan] of plansOf(seed, runs).entries()) {
    if (faultsOf(await run(plan)).length === 0) continue
    const smallest = await shrink(plan)
    const faults = faultsOf(await run(smallest))
    throw new Error([...faults, "", ...inWords(smallest), "", `plan ${index} of seed ${seed}`].join("\n"))
  }
}

/** Leaves out steps, fewer at a time and then one by one, as long as what remains still breaks the contract. */
const shrink = async (plan: Plan): Promise<Plan> => {
  let smallest = plan
  let size = plan.steps.length
  while (size > 0) {
    const { length } = smallest.steps
    for (let at = 0; at < smallest.steps.length;) {
      const smaller = { ...smallest, steps: smallest.steps.toSpliced(at, size) }
      if (faultsOf(await run(smaller)).length > 0) smallest = smaller
      else at += size
    }
    size = size > 1 ? Math.ceil(size / 2) : smallest.steps.length < length ? 1 : 0
  }
  return smallest
}

const inWords = ({ steps, ...rest }: Plan): ReadonlyArray<string> => [
  JSON.stringify(rest),
  ...steps.map(({ act, gap }) => `  ${JSON.stringify(act)}, then ${JSON.stringify(gap)}`)
]
