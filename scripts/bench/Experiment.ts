import { median, ratio } from "./Statistics.ts"
import type { Bench, Spawn } from "./Subject.ts"

/** Something that is measured, and the rows of the table that show it. */
export interface Experiment {
  /** How many rounds are usual. */
  readonly rounds: number
  /** One round: starts a program, measures, and ends it. */
  readonly measure: (spawn: Spawn, bench: Bench) => Promise<Figures>
  /** What does the same work and nothing else. */
  readonly limit?: Spawn
  readonly rows: ReadonlyArray<ExperimentRow>
}

export interface ExperimentRow {
  readonly name: string
  readonly unit: string
  readonly figure: string
  /** What stands beside it: this figure of the limit, or another one of the sidecar. */
  readonly beside?: { readonly name: string; readonly figure?: string }
  readonly aims: ReadonlyArray<Aim>
}

export interface Aim {
  readonly of: "value" | "ratio"
  readonly most?: number
  readonly least?: number
}

/** One line of the table: a median beside another. */
export interface Row {
  readonly name: string
  readonly unit: string
  readonly value: number
  readonly beside?: { readonly name: string; readonly value: number }
  readonly ratio: number
  readonly aims: ReadonlyArray<Aim>
}

/** What one round of a program measured. */
export type Figures = Readonly<Record<string, number>>

/** The rows of a sidecar beside its limit. */
export const measureRows = async (
  experiment: Experiment,
  subject: Spawn,
  bench: Bench,
  effort: number
): Promise<ReadonlyArray<Row>> => {
  const [rounds = [], limitRounds = []] = await interleave(experiment, [subject], bench, effort)
  return experiment.rows.map(({ figure, beside, ...row }) => {
    const value = median(valuesOf(rounds, figure))
    if (beside === undefined) return { ...row, value, ratio: Number.NaN }
    const other = median(beside.figure === undefined ? valuesOf(limitRounds, figure) : valuesOf(rounds, beside.figure))
    return { ...row, value, beside: { name: beside.name, value: other }, ratio: ratio(value, other) }
  })
}

/**
 * The figures of each program's rounds, those of the limit last. A round takes all programs, one after another, so that
 * a busy moment of the machine meets all of them; every other round takes them backwards, so that none is always first.
 */
export const interleave = async (
  { rounds, measure, limit }: Experiment,
  subjects: ReadonlyArray<Spawn>,
  bench: Bench,
  effort: number
): Promise<ReadonlyArray<ReadonlyArray<Figures>>> => {
  const programs = [...subjects, ...(limit === undefined ? [] : [limit])].map((spawn) => ({
    spawn,
    figures: [] as Array<Figures>
  }))
  for (let round = 0; round < Math.max(1, Math.round(rounds * effort)); round++) {
    for (const { spawn, figures } of round % 2 === 0 ? programs : programs.toReversed()) {
      figures.push(await measure(spawn, bench))
    }
  }
  return programs.map(({ figures }) => figures)
}

export const valuesOf = (rounds: ReadonlyArray<Figures>, figure: string): ReadonlyArray<number> =>
  rounds.map((figures) => figures[figure] ?? Number.NaN)
