import { badLines, blankLines, oddRequests } from "./BadLines.ts"
import type { Draw } from "./Draw.ts"

/** Which session a request names. */
export type Whom = "active" | "old" | "nobody"

/** One thing that a host does, or that happens to it. */
export type HostAct =
  | { readonly do: "send"; readonly to: Whom; readonly maxSteps: number | null; readonly text: Words }
  | { readonly do: "steer"; readonly to: Whom; readonly isBlank: boolean }
  | { readonly do: "cancel" | "state" | "queue" | "delete" | "resume"; readonly to: Whom }
  | { readonly do: "start"; readonly where: "work" | "relative" | "nowhere" | "file"; readonly withMetadata: boolean }
  | { readonly do: "unqueue" | "answer"; readonly which: number }
  | { readonly do: "hello"; readonly share: number; readonly seed: number }
  | { readonly do: "ping" | "list" | "skills" }
  | { readonly do: "install"; readonly what: "good" | "bad" | "escapes" | "nothing"; readonly force: boolean | null }
  | { readonly do: "uninstall"; readonly name: string }
  | { readonly do: "bad" | "blank" | "odd"; readonly name: string; readonly seed: number }
  /** The host does not read for a while. */
  | { readonly do: "stall"; readonly ms: number }
  /** The process is stopped for a while, like a laptop that sleeps. */
  | { readonly do: "sleep"; readonly ms: number }
  /** Another process holds the database. */
  | { readonly do: "lock"; readonly ms: number }
  /** Somebody writes over the database while it is open. */
  | { readonly do: "corrupt" }
  | { readonly do: "close stderr" | "server stops" | "server is back" | "server loads" | "server is ready" }
  /** Nothing, while it is looked whether the process does anything. */
  | { readonly do: "idle" }

/** What a message says. */
export type Words = "plain" | "unicode" | "long" | "separators"

/** What is waited for before the next act. */
export type Wait =
  | { readonly for: "nothing" }
  | { readonly for: "time"; readonly ms: number }
  | { readonly for: "frame"; readonly type: string }
  /** All requests are answered, for so long at most. */
  | { readonly for: "quiet"; readonly ms: number }

export const drawActs = (draw: Draw, count: number, writing: string) =>
  Array.from({ length: count }, () => ({ act: drawAct(draw, writing), wait: drawWait(draw) }))

const whom = (draw: Draw): Whom => draw.weighted({ active: 14, old: 1, nobody: 1 })

const drawAct = (draw: Draw, writing: string): HostAct => {
  const kind = draw.weighted(weights)
  switch (kind) {
    case "send": {
      // Byte by byte a long one takes its time.
      const long = writing === "bytes" ? 0 : 1
      const text = draw.weighted({ plain: 10, unicode: 3, separators: 1, long })
      return { do: "send", to: whom(draw), maxSteps: draw.pick([null, null, 1, 2, 3]), text }
    }
    case "steer":
      return { do: "steer", to: whom(draw), isBlank: draw.chance(0.1) }
    case "cancel":
    case "state":
    case "queue":
    case "delete":
    case "resume":
      return { do: kind, to: whom(draw) }
    case "start": {
      const where = draw.weighted({ work: 4, relative: 1, nowhere: 1, file: 1 })
      return { do: "start", where, withMetadata: draw.chance(0.3) }
    }
    case "unqueue":
    case "answer":
      return { do: kind, which: draw.integer(0, 2) }
    case "hello":
      return { do: "hello", share: draw.unit(), seed: draw.seed() }
    case "install": {
      const what = draw.weighted({ good: 4, bad: 1, escapes: 1, nothing: 1 })
      return { do: "install", what, force: draw.pick([null, true, false]) }
    }
    case "uninstall":
      return { do: "uninstall", name: draw.pick(["good-skill", "good-skill", "no-such-skill", "../work", "A"]) }
    case "bad":
      return { do: "bad", name: draw.pick(Object.keys(badLines)), seed: draw.seed() }
    case "blank":
      return { do: "blank", name: draw.pick(Object.keys(blankLines)), seed: draw.seed() }
    case "odd":
      return { do: "odd", name: draw.pick(Object.keys(oddRequests)), seed: draw.seed() }
    case "stall":
      return { do: "stall", ms: draw.integer(20, 900) }
    case "sleep":
      return { do: "sleep", ms: draw.integer(10, 400) }
    case "lock":
      return { do: "lock", ms: draw.chance(0.05) ? draw.integer(5200, 6500) : draw.integer(20, 900) }
    default:
      return { do: kind }
  }
}

const weights = {
  send: 26,
  steer: 8,
  cancel: 7,
  answer: 2,
  state: 3,
  queue: 2,
  unqueue: 2,
  delete: 1,
  resume: 2,
  start: 3,
  hello: 1,
  ping: 4,
  list: 2,
  skills: 1,
  install: 2,
  uninstall: 2,
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
} as const

const drawWait = (draw: Draw): Wait => {
  switch (draw.weighted({ nothing: 5, time: 4, frame: 3, quiet: 3 })) {
    case "nothing":
      return { for: "nothing" }
    case "time":
      return { for: "time", ms: draw.integer(0, 40) }
    case "frame":
      return { for: "frame", type: draw.pick(["step_started", "assistant_delta", "tool_call_started", "response"]) }
    case "quiet":
      return { for: "quiet", ms: draw.integer(100, 1500) }
  }
}
