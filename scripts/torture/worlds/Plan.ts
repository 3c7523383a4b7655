import { extensions } from "../runs/HostActs.ts"
import { SeededRandom, seedOf } from "../../../src/testing/SeededRandom.ts"
import type { Extension } from "../../../src/protocol/Request.ts"
import { drawSteps, type Step } from "./Acts.ts"
import { type Settings, drawSettings } from "./Settings.ts"
import type { Disk } from "./Place.ts"
import { type ServedAnswer, drawAnswers } from "./ModelAnswers.ts"

/** What befalls a database while nobody has it open. */
export type Damage = "header" | "page" | "half" | "garbage" | "empty" | "no log" | "half a log" | "bad index" | "gone"

/** How the host writes: a line at a time, several in one write, or lines in parts down to a byte. */
export type Writing = "lines" | "together" | "pieces" | "bytes"

/** What the host says to a question. */
export type Approval = "yes" | "no" | "late" | "never" | "twice" | "wrong first"

/** How a life ends; `settled` ones answer everything first, and play one more turn. */
export type End =
  | "settled shutdown"
  | "settled end of input"
  | "shutdown"
  | "end of input"
  | "end of input after shutdown"
  | "end of input, unread"
  | "SIGTERM"
  | "SIGTERM after shutdown"
  | "SIGTERM twice"
  | "SIGINT"
  | "SIGHUP"
  | "SIGKILL"
  | "SIGKILL in a line"
  | "stdout closed"
  | "all pipes closed"

/** One process from its start to its end, as data. */
export interface LifePlan {
  readonly index: number
  readonly damage: Damage | undefined
  readonly settings: Settings
  readonly writing: Writing
  readonly extensions: ReadonlyArray<Extension>
  /** Takes up a session of a life before, if there is one. */
  readonly resumes: boolean
  readonly approvals: ReadonlyArray<Approval>
  readonly answers: ReadonlyArray<ServedAnswer>
  /** None: the process ends while it starts. */
  readonly steps: ReadonlyArray<Step>
  readonly end: End
  /** Before its end all that is open is cancelled. */
  readonly cancels: boolean
  /** Every process before was killed, and did not fail: its session must be there, interrupted or at rest. */
  readonly isResumable: boolean
  /** Milliseconds from the last step to the end. */
  readonly endsAfterMs: number
}

/** Lives one after the other on one state directory. */
export interface WorldPlan {
  readonly index: number
  readonly seed: number
  readonly disk: Disk
  readonly lives: ReadonlyArray<LifePlan>
}

export const drawWorld = (seed: number, index: number): WorldPlan => {
  const own = seedOf(seed, index)
  const random = new SeededRandom(own)
  const disk = drawDisk(random)
  const count = random.integer(2, 6)
  const lives = Array.from({ length: count }, (_, life) => drawLife(new SeededRandom(seedOf(own, life)), life, disk))
  return { index, seed, disk, lives }
}

const drawDisk = (random: SeededRandom): Disk => {
  switch (random.weighted({ good: 14, files: 2, disk: 2, readOnly: 1 })) {
    case "good":
      return "good"
    case "files":
      return { fileKiB: random.integer(1, 300) }
    case "disk":
      return { diskKiB: random.integer(60, 600) }
    case "readOnly":
      return "read-only"
  }
}

export const drawLife = (random: SeededRandom, index: number, disk: Disk): LifePlan => {
  const isDamaged = disk === "good" && index > 0 && random.chance(0.2)
  const damage = isDamaged ? (random.weighted(damages) as Damage) : undefined
  const end = random.weighted(ends) as End
  const isEarly = end.startsWith("SIGKILL") && random.chance(0.2)
  const writing = random.weighted({ lines: 6, together: 2, pieces: 2, bytes: 2 })
  return {
    index,
    damage,
    settings: drawSettings(random, end.startsWith("settled") ? 4000 : 300),
    writing,
    extensions: random.chance(0.7) ? extensions : random.some(extensions, 0.5),
    resumes: random.chance(0.6),
    approvals: random.list(6, () => random.weighted({ yes: 12, no: 4, late: 2, never: 1, twice: 2, "wrong first": 1 })),
    answers: drawAnswers(random, random.integer(6, 24)),
    steps: isEarly ? [] : drawSteps(random, random.integer(4, 40)),
    end,
    cancels: !isEarly && random.chance(0.15),
    isResumable: false,
    endsAfterMs: isEarly ? random.integer(0, 150) : random.chance(0.5) ? 0 : random.integer(0, 120)
  }
}

const damages: { readonly [K in Damage]: number } = {
  header: 2,
  page: 3,
  half: 2,
  garbage: 2,
  empty: 1,
  "no log": 1,
  "half a log": 3,
  "bad index": 2,
  gone: 1
}

const ends: { readonly [K in End]: number } = {
  "settled shutdown": 5,
  "settled end of input": 5,
  shutdown: 3,
  "end of input": 4,
  "end of input after shutdown": 1,
  "end of input, unread": 1,
  SIGTERM: 3,
  "SIGTERM after shutdown": 1,
  "SIGTERM twice": 1,
  SIGINT: 1,
  SIGHUP: 1,
  SIGKILL: 6,
  "SIGKILL in a line": 2,
  "stdout closed": 2,
  "all pipes closed": 2
}
