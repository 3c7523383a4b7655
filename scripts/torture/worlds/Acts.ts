import { drawAct, type HostAct, hostWeights, isHostAct } from "../runs/HostActs.ts"
import type { SeededRandom } from "../../../src/testing/SeededRandom.ts"
import { badLines, blankLines, oddRequests } from "./BadLines.ts"

/** One thing that a host does, or that happens to its sidecar. */
export type Act =
  | HostAct
  | { readonly do: "bad" | "blank" | "odd"; readonly name: string; readonly seed: number }
  /** The host does not read for a while. */
  | { readonly do: "stall"; readonly ms: number }
  /** The process is stopped for a while, like a laptop that sleeps. */
  | { readonly do: "sleep"; readonly ms: number }
  /** Another process holds the database. */
  | { readonly do: "lock"; readonly ms: number }
  /** The database is written over while it is open. */
  | { readonly do: "corrupt" }
  | { readonly do: "close stderr" | "server stops" | "server is back" | "server loads" | "server is ready" }
  /** Nothing, while it is checked that the process does nothing either. */
  | { readonly do: "idle" }

/** What is waited for before the next act. */
export type Wait =
  | { readonly for: "nothing" }
  | { readonly for: "time"; readonly ms: number }
  | { readonly for: "frame"; readonly type: string }
  /** All requests are answered, for so long at most. */
  | { readonly for: "quiet"; readonly ms: number }

export interface Step {
  readonly act: Act
  readonly wait: Wait
}

export const drawSteps = (random: SeededRandom, count: number): ReadonlyArray<Step> =>
  random.list(count, () => ({ act: draw(random), wait: drawWait(random) }))

const weights = {
  ...hostWeights,
  bad: 6,
  blank: 1,
  odd: 4,
  stall: 2,
  sleep: 1,
  lock: 1.5,
  corrupt: 0.15,
  "close stderr": 0.3,
  "server stops": 0.6,
  "server is back": 1.5,
  "server loads": 0.6,
  "server is ready": 1.5,
  idle: 1
}

const draw = (random: SeededRandom): Act => {
  const kind = random.weighted(weights)
  if (isHostAct(kind)) return drawAct(random, kind)
  switch (kind) {
    case "bad":
    case "blank":
    case "odd": {
      const names = Object.keys({ bad: badLines, blank: blankLines, odd: oddRequests }[kind])
      return { do: kind, name: random.pick(names), seed: random.seed() }
    }
    case "stall":
      return { do: kind, ms: random.integer(20, 900) }
    case "sleep":
      return { do: kind, ms: random.integer(10, 400) }
    case "lock":
      return { do: kind, ms: random.chance(0.05) ? random.integer(5200, 6500) : random.integer(20, 900) }
    default:
      return { do: kind }
  }
}

const drawWait = (random: SeededRandom): Wait => {
  switch (random.weighted({ nothing: 5, time: 4, frame: 3, quiet: 3 })) {
    case "nothing":
      return { for: "nothing" }
    case "time":
      return { for: "time", ms: random.integer(0, 40) }
    case "frame":
      return { for: "frame", type: random.pick(["step_started", "assistant_delta", "tool_call_started", "response"]) }
    case "quiet":
      return { for: "quiet", ms: random.integer(100, 1500) }
  }
}
