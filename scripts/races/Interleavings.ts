import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { type Plan, plan } from "./Acts.ts"
import type { Figure } from "./Figure.ts"
import { judge } from "./Oracle.ts"
import { play } from "./Play.ts"

export interface Options {
  readonly runs: number
  /** The same seed makes the same plans, and a plan plays the same way again. */
  readonly seed: number
  /** As a failure reported it: plays its plan only. */
  readonly path?: string
  readonly onRun?: () => void
}

/** Plays random plans; throws, with the smallest plan that shows it, where one breaks the contract. */
export const interleavings = async ({ onRun, path, runs, seed }: Options): Promise<ReadonlyArray<Figure>> => {
  let acts = 0
  let turns = 0
  let frames = 0
  const property = fc.asyncProperty(plan, async (plan) => {
    const played = await Effect.runPromise(play(plan))
    acts += plan.acts.length
    frames += played.frames.length
    turns += played.frames.filter((frame) => frame.kind === "event" && frame.type === "turn_started").length
    onRun?.()
    const wrong = judge(played)
    if (wrong.length > 0) throw new Error(wrong.join("\n"))
  })
  const startedAt = performance.now()
  const details = await fc.check(property, { numRuns: runs, seed, ...(path === undefined ? {} : { path }) })
  if (details.failed) {
    const [smallest] = details.counterexample ?? []
    const again = `npm run races -- interleavings --seed ${details.seed} --path ${details.counterexamplePath}`
    const why = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance)
    throw new Error(`${why}\n\n${smallest === undefined ? "" : inWords(smallest)}\n\nAgain: ${again}`)
  }
  return [
    { name: "interleavings without a breach", value: details.numRuns, unit: `seed ${details.seed}` },
    { name: "  acts, turns, frames in them", value: `${acts}, ${turns}, ${frames}`, unit: "" },
    { name: "  time", value: (performance.now() - startedAt) / 1000, unit: "s" }
  ]
}

const inWords = ({ acts, ...rest }: Plan): string =>
  [JSON.stringify(rest), ...acts.map(({ act, gap }) => `  ${JSON.stringify(act)}, then ${JSON.stringify(gap)}`)].join(
    "\n"
  )
