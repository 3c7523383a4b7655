import { Draw, seedOf } from "./Draw.ts"
import { extensions } from "../races/Acts.ts"
import { drawActs, type HostAct, type Wait } from "./HostActs.ts"
import { type Settings, drawSettings } from "./Settings.ts"
import { type ServedAnswer, drawAnswers } from "./ModelAnswers.ts"

/** What the disk of a state directory is like. */
export type Disk =
  | "good"
  /** No file may grow beyond so many KiB. */
  | { readonly fileKiB: number }
  /** The whole disk has so many KiB. */
  | { readonly diskKiB: number }
  /** From the second life on nothing may be written. */
  | "read-only"

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
  | "end of input, unread"
  | "SIGTERM"
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
  readonly extensions: ReadonlyArray<string>
  /** Takes up a session of a life before, if there is one. */
  readonly resumes: boolean
  readonly approvals: ReadonlyArray<Approval>
  readonly answers: ReadonlyArray<ServedAnswer>
  readonly acts: ReadonlyArray<{ readonly act: HostAct; readonly wait: Wait }>
  readonly end: End
  /** Milliseconds from the last act to the end. */
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
  const draw = new Draw(own)
  const disk = drawDisk(draw)
  const count = draw.integer(2, 6)
  const lives = Array.from({ length: count }, (_, life) => drawLife(new Draw(seedOf(own, life)), life, disk))
  return { index, seed, disk, lives }
}

const drawDisk = (draw: Draw): Disk => {
  switch (draw.weighted({ good: 14, files: 2, disk: 2, readOnly: 1 })) {
    case "good":
      return "good"
    case "files":
      return { fileKiB: draw.integer(1, 300) }
    case "disk":
      return { diskKiB: draw.integer(60, 600) }
    case "readOnly":
      return "read-only"
  }
}

export const drawLife = (draw: Draw, index: number, disk: Disk): LifePlan => {
  const isDamaged = disk === "good" && index > 0 && draw.chance(0.2)
  const damage = isDamaged ? (draw.weighted(damages) as Damage) : undefined
  const end = draw.weighted(ends) as End
  const isEarly = end.startsWith("SIGKILL") && draw.chance(0.2)
  const writing = draw.weighted({ lines: 6, together: 2, pieces: 2, bytes: 2 })
  return {
    index,
    damage,
    settings: drawSettings(draw, end.startsWith("settled") ? 4000 : 300),
    writing,
    extensions: draw.chance(0.7) ? extensions : draw.some(extensions, 0.5),
    resumes: draw.chance(0.6),
    approvals: draw.list(6, () => draw.weighted({ yes: 12, no: 4, late: 2, never: 1, twice: 2, "wrong first": 1 })),
    answers: drawAnswers(draw, draw.integer(6, 24)),
    acts: isEarly ? [] : drawActs(draw, draw.integer(4, 40), writing),
    end,
    endsAfterMs: isEarly ? draw.integer(0, 150) : draw.chance(0.5) ? 0 : draw.integer(0, 120)
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
  "end of input, unread": 1,
  SIGTERM: 3,
  "SIGTERM twice": 1,
  SIGINT: 1,
  SIGHUP: 1,
  SIGKILL: 6,
  "SIGKILL in a line": 2,
  "stdout closed": 2,
  "all pipes closed": 2
}
