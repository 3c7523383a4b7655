import { type Experiment, interleave, valuesOf } from "./Experiment.ts"
import { median, quantile, ratio } from "./Statistics.ts"
import type { Bench, Spawn } from "./Subject.ts"

/** One figure of two builds, measured in turns in one run. */
export interface ComparedRow {
  readonly name: string
  readonly unit: string
  readonly current: number
  readonly other: number
  readonly limit?: number
  /** The median of the rounds' ratios, current / other, and the quarters around it. */
  readonly ratio: number
  readonly quarters: readonly [number, number]
}

/** The rows of this build and of another, and of the limit as a reference for how busy the machine was. */
export const compareRows = async (
  experiment: Experiment,
  current: Spawn,
  other: Spawn,
  bench: Bench,
  effort: number
): Promise<ReadonlyArray<ComparedRow>> => {
  const [rounds = [], otherRounds = [], limitRounds] = await interleave(experiment, [current, other], bench, effort)
  return experiment.rows.map(({ name, unit, figure }) => ({
    name,
    unit,
    ...comparison(valuesOf(rounds, figure), valuesOf(otherRounds, figure)),
    ...(limitRounds && { limit: median(valuesOf(limitRounds, figure)) })
  }))
}

/** Medians of the two, and of the ratios of what was measured in the same round. */
export const comparison = (current: ReadonlyArray<number>, other: ReadonlyArray<number>) => {
  const ratios = current.map((value, round) => ratio(value, other[round] ?? Number.NaN)).filter((pair) => pair > 0)
  return {
    current: median(current),
    other: median(other),
    ratio: median(ratios),
    quarters: [quantile(ratios, 0.25), quantile(ratios, 0.75)] as const
  }
}
