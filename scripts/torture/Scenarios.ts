import { spawnSync } from "node:child_process"
import type { Figure } from "./Figure.ts"
import { cancels } from "./scenarios/Cancels.ts"
import { hostKilled } from "./scenarios/HostKilled.ts"
import { longSession } from "./scenarios/LongSession.ts"
import { pipes } from "./scenarios/Pipes.ts"
import { queue } from "./scenarios/Queue.ts"
import { shared } from "./scenarios/Shared.ts"
import { sidecarKilled, type Work, works } from "./scenarios/SidecarKilled.ts"
import { signals } from "./scenarios/Signals.ts"
import { drawKills, drawTools } from "./worlds/Variants.ts"
import { playWorlds, type WorldsOptions } from "./worlds/Worlds.ts"

export interface ScenarioOptions {
  readonly seed: number
  /** In place of a scenario's usual number of rounds, lives, messages or turns. */
  readonly runs: number | undefined
  /** How long the random worlds go on. */
  readonly minutes: number
  /** One world of the seed only. */
  readonly world: number | undefined
  readonly canMount: boolean
}

/** Plays and checks; rejects where something is wrong. */
type Scenario = (options: ScenarioOptions) => Promise<ReadonlyArray<Figure>>

const every = (ms: number, count: number) => Array.from({ length: count }, (_, index) => ms * index)

const worlds = async (
  { canMount, seed, world }: ScenarioOptions,
  options: Omit<WorldsOptions, "canMount" | "seed" | "only">
): Promise<ReadonlyArray<Figure>> => {
  const { breaches, counts } = await playWorlds({ ...options, canMount, seed, only: world })
  for (const { name, unit, value } of counts.figures) console.log(`${name.padEnd(60)} ${value} ${unit}`.trimEnd())
  if (breaches.length > 0) throw new Error(`${breaches.length} lives with violations, seed ${seed}`)
  return [{ name: `${options.name}: lives without a violation`, value: counts.of("lives"), unit: `seed ${seed}` }]
}

/** Random plays in one process on a clock of their own: the tests in `interleavings/`, with other plans and more of them. */
const interleavings: Scenario = async ({ runs = 2000, seed }) => {
  const env = { ...process.env, SIMULATION_RUNS: `${runs}`, SIMULATION_SEED: `${seed}` }
  const { status } = spawnSync("vitest", ["run", "scripts/torture/interleavings/Interleavings.test.ts"], {
    stdio: "inherit",
    env
  })
  if (status !== 0) throw new Error(`a plan of seed ${seed} breaks the contract`)
  return [{ name: "interleavings without a violation", value: runs, unit: `seed ${seed}` }]
}

/** By name: what `npm run torture -- --scenario NAME` plays. */
export const scenarios = {
  /** Random hosts, model servers and disks, and one long life beside them. */
  worlds: (options) => {
    const until = performance.now() + options.minutes * 60_000
    return worlds(options, { name: "worlds", goesOn: () => performance.now() < until, withLongLife: true })
  },
  /** Conversations full of tools, approvals and cancels. */
  tools: (options) =>
    worlds(options, {
      name: "tools",
      draw: drawTools,
      goesOn: (lives) => lives < (options.runs ?? 300),
      sideBySide: 2
    }),
  /** `kill -9` at random moments: the database is whole, and the next process takes the session up. */
  kills: (options) =>
    worlds(options, {
      name: "kills",
      draw: drawKills,
      goesOn: (lives) => lives < (options.runs ?? 200),
      sideBySide: 1
    }),
  interleavings,
  /** A cancel at each moment of a turn. */
  cancels: ({ runs = 51 }) => cancels(every(1, runs)),
  /** Several sidecars on one state directory. */
  shared: ({ runs = 100 }) => shared(8, runs),
  /** Many messages in one write. */
  queue: ({ runs = 1000 }) => queue(runs, 5),
  /** Many turns in one session. */
  long: ({ runs = 1000 }) => longSession(runs),
  /** A host or a sidecar is killed while tools are at work. */
  orphans: async () => {
    const figures: Array<Figure> = []
    for (const sign of ["end of input", "parent gone"] as const) figures.push(...(await hostKilled(sign)))
    for (const work of Object.keys(works) as Array<Work>) figures.push(...(await sidecarKilled(work)))
    return [...figures, ...(await sidecarKilled("a command", true))]
  },
  /** All three pipes close during output. */
  pipes: () => pipes(),
  /** A signal, or the end of the input, at each moment of a start. */
  signals: ({ runs = 200 }) => signals(every(2, runs))
} satisfies { readonly [name: string]: Scenario }
