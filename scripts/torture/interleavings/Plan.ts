import type { Extension } from "../../../src/protocol/Request.ts"
import { drawAct, extensions, type HostAct, hostWeights, isHostAct } from "../runs/HostActs.ts"
import { SeededRandom } from "../../../src/testing/SeededRandom.ts"

/** What the model asks for in a step. */
export type Call = "read" | "write" | "odd" | "finish" | "unusable" | "unknown"

/** One thing that the host, the model, a tool or time does. */
export type Act =
  | HostAct
  | { readonly do: "bad"; readonly which: number }
  | { readonly do: "hostPauses" | "hostReads" }
  | { readonly do: "say" | "think" | "prefill" | "reply" | "fail" | "die" }
  | { readonly do: "calls"; readonly calls: ReadonlyArray<Call>; readonly withText: boolean }
  | { readonly do: "tool"; readonly which: number; readonly how: "finish" | "fail" | "die" }
  | { readonly do: "time"; readonly ms: number }
  | { readonly do: "end"; readonly how: "shutdown" | "input" }

/** How far everything else gets before the next act: not at all, so many microtasks, or so many turns of the event loop. */
export type Gap =
  | { readonly wait: "nothing" }
  | { readonly wait: "microtasks"; readonly count: number }
  | { readonly wait: "turns"; readonly count: number }

export interface Step {
  readonly act: Act
  readonly gap: Gap
}

/** How a write to the database ends. */
export type Write = "good" | "fails" | "dies"

/** A whole run, as data: the same plan plays the same way. */
export interface Plan {
  readonly steps: ReadonlyArray<Step>
  /** Bytes that may wait for the host (`sidecar.outputBufferBytes`). */
  readonly outputBufferBytes: number
  /** How many turns of the scheduler each operation of database, skills and probe takes, one after the other, over and over. */
  readonly delays: ReadonlyArray<number>
  /** How each write to the database ends, one after the other, over and over. */
  readonly writes: ReadonlyArray<Write>
  readonly extensions: ReadonlyArray<Extension>
}

/** How often each act is chosen: a step of a turn gets its words, its calls and their ends before it is cut off. */
const weights = {
  ...hostWeights,
  send: 24,
  steer: 12,
  cancel: 12,
  approve: 12,
  start: 4,
  resume: 4,
  list: 1,
  ping: 1,
  bad: 4,
  hostPauses: 3,
  hostReads: 3,
  say: 8,
  think: 4,
  prefill: 4,
  reply: 16,
  fail: 3,
  die: 1,
  calls: 16,
  tool: 16,
  time: 2
} as const

const callWeights: { readonly [C in Call]: number } = { read: 8, write: 8, odd: 1, finish: 1, unusable: 1, unknown: 1 }

const draw = (random: SeededRandom): Act => {
  const kind = random.weighted(weights)
  if (isHostAct(kind)) return drawAct(random, kind)
  switch (kind) {
    case "bad":
      return { do: kind, which: random.integer(0, 7) }
    case "calls": {
      const calls = random.list(random.integer(1, 3), () => random.weighted(callWeights))
      return { do: kind, calls, withText: random.chance(0.5) }
    }
    case "tool":
      return { do: kind, which: random.integer(0, 2), how: random.weighted({ finish: 3, fail: 1, die: 1 }) }
    case "time":
      return { do: kind, ms: random.pick([10, 1000, 2500]) }
    default:
      return { do: kind }
  }
}

const drawGap = (random: SeededRandom): Gap => {
  const wait = random.weighted({ nothing: 3, microtasks: 2, turns: 5 })
  if (wait === "nothing") return { wait }
  return { wait, count: random.integer(1, wait === "turns" ? 4 : 6) }
}

/** The plan of a seed. */
export const drawPlan = (seed: number): Plan => {
  const random = new SeededRandom(seed)
  const step = (act = draw(random)): Step => ({ act, gap: drawGap(random) })
  const steps = random.list(random.integer(0, 40), () => step())
  // Acts behind an end come too late.
  const late = random.list(random.integer(0, 3), () => step())
  const end = step({ do: "end", how: random.pick(["shutdown", "input"]) })
  return {
    steps: random.chance(0.25) ? [...steps, end, ...late] : steps,
    outputBufferBytes: random.pick([300, 1500, 1_000_000, 1_000_000]),
    delays: random.list(random.integer(1, 5), () => random.integer(0, 3)),
    writes: random.chance(0.17)
      ? random.list(random.integer(1, 5), () => random.weighted<Write>({ good: 2, fails: 1, dies: 1 }))
      : ["good"],
    extensions: random.chance(0.5) ? extensions : random.some(extensions, 0.5)
  }
}
