import { quantile } from "../Figure.ts"
import type { Counts } from "./Counts.ts"
import { SeededRandom, seedOf } from "../../../src/testing/SeededRandom.ts"
import { play } from "./Life.ts"
import { drawLife, type LifePlan } from "./Plan.ts"
import type { Breach } from "./Breach.ts"
import { World } from "./World.ts"

/** One process that goes on living, stretch after stretch, each in a session of its own. */
export interface LongLife {
  readonly breaches: ReadonlyArray<Breach>
  /** Resident memory after each stretch, in MiB. */
  readonly memory: ReadonlyArray<number>
}

/** More growth than this, in MiB, is a leak. */
const mostGrowth = 48

/** The number of a long life's world among the worlds of a seed. */
export const longWorld = 1_000_000

/**
 * Plays stretches as long as it is told, and ends the input once the `others` are over: to judge all that was said takes
 * long, and holds them up.
 */
export const longLife = (
  seed: number,
  goesOn: () => boolean,
  others: Promise<unknown>,
  counts: Counts
): Promise<LongLife> => {
  const first = drawStretch(seed, 0)
  const plan = { index: longWorld, seed, disk: "good" as const, lives: [first] }
  return World.within(plan, false, counts, async (world) => {
    const memory: Array<number> = []
    const { lived, violations } = await world.live(first, async (host) => {
      for (let index = 1; goesOn() && host.wrong.length === 0; index++) {
        const stretch = drawStretch(seed, index)
        world.serve(stretch)
        host.approvals = stretch.approvals
        await play(host, stretch, [])
        await host.settle()
        memory.push(host.sidecar.residentMiB)
      }
      await others
    })
    const growth = growthOf(memory)
    counts.add("long life: stretches", memory.length)
    counts.most("long life: resident memory at the beginning, MiB", Math.round(memory[0] ?? 0))
    counts.most("long life: resident memory at the end, MiB", Math.round(memory.at(-1) ?? 0))
    counts.most("long life: growth from its second to its last quarter, MiB", Math.round(growth))
    const inWords = memory.map((each) => Math.round(each)).join(" ")
    const leak = growth > mostGrowth ? [`resident memory grew by ${Math.round(growth)} MiB: ${inWords}`] : []
    const all = [...violations, ...leak]
    return { memory, breaches: all.length === 0 ? [] : [{ world: plan, lived, violations: all }] }
  })
}

/**
 * How much more there is in the last quarter than in the second, each at its lowest: what a turn takes comes and goes with
 * the collection of garbage, what leaks stays.
 */
export const growthOf = (memory: ReadonlyArray<number>): number => {
  const quarter = Math.floor(memory.length / 4)
  if (quarter < 10) return 0
  const lowest = (from: number) => quantile(memory.slice(from, from + quarter), 0.1)
  return lowest(memory.length - quarter) - lowest(quarter)
}

/** A part of a long life, with nothing in it that breaks the process or its database. */
const drawStretch = (seed: number, index: number): LifePlan => {
  const life = drawLife(new SeededRandom(seedOf(seed ^ 0x5eed, index)), index, "good")
  return {
    ...life,
    index: 0,
    damage: undefined,
    resumes: false,
    writing: "lines",
    settings: { ...life.settings, invalid: undefined, env: quick, mode: "external" },
    steps: life.steps.filter(({ act }) => act.do !== "corrupt" && act.do !== "close stderr"),
    end: "settled end of input"
  }
}

/** A model server that hangs is not waited for long. */
const quick = { ATOMIC_AGENT_LLAMA_FIRST_TOKEN_TIMEOUT_MS: "600", ATOMIC_AGENT_LLAMA_REQUEST_TIMEOUT_MS: "600" }
