import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import { eventsOf } from "../../scripts/races/Exchanges.ts"
import { judge } from "../../scripts/torture/Judge.ts"
import type { Lived } from "../../scripts/torture/Life.ts"
import { growthOf } from "../../scripts/torture/LongLife.ts"
import { drawWorld, type End, type LifePlan } from "../../scripts/torture/Plan.ts"
import { recordings } from "../testing/recordings.ts"

const [anyLife] = drawWorld(1, 0).lives

const plan = (end: End, invalid?: string): LifePlan => ({
  ...anyLife!,
  end,
  settings: { ...anyLife!.settings, invalid }
})

/** What a message said: the one that was played last before it was answered. */
const textOf = (frames: ReadonlyArray<SidecarFrame>, id: string) => {
  const answered = frames.findIndex((frame) => frame.kind === "response" && frame.correlationId === id)
  return eventsOf(frames.slice(0, answered), "user_message").at(-1)?.payload.text
}

/** A good life, of a host that asked and read all that there was. */
const good = Effect.map(recordings.reply, ({ frames, requests }): Lived => ({
  plan: plan("end of input"),
  posted: requests.map(({ id, type }) => ({
    id,
    type,
    payload: { text: textOf(frames, id) },
    at: 0,
    isLate: false,
    isLost: false
  })),
  frames,
  badLines: 0,
  noise: [],
  stderr: "",
  code: 0,
  signal: null,
  tookMs: 30,
  heldMs: 0,
  usedMs: 10,
  isWhole: true,
  wasStopped: false,
  isCorrupted: false,
  wrong: [],
  leftovers: []
}))

const log = { kind: "event", id: "l", type: "log", payload: { level: "loud", message: "x" } } as unknown as SidecarFrame

const killed = { code: null, signal: "SIGKILL" as const, plan: plan("SIGKILL"), isWhole: false }

describe("a life that was played is judged", () => {
  it.effect("good, where nothing is wrong", () => Effect.map(good, (lived) => assert.deepStrictEqual(judge(lived), [])))

  it.effect.each<[string, (lived: Lived) => Partial<Lived>, RegExp]>([
    ["did not end", () => ({ tookMs: undefined }), /did not end/],
    ["took too long to end", () => ({ tookMs: 9000 }), /took 9000 ms/],
    ["was busy while it ended", () => ({ usedMs: 2500 }), /2500 ms of processor time/],
    ["ended with another code", () => ({ code: 1 }), /exit 1 after: end of input/],
    ["died of a signal", () => ({ code: null, signal: "SIGSEGV" }), /exit SIGSEGV/],
    ["ended 143 in time", () => ({ code: 143, plan: plan("SIGTERM") }), /exit 143/],
    ["survived a kill", () => ({ plan: plan("SIGKILL"), isWhole: false }), /exit 0 after: SIGKILL/],
    ["left a process behind", () => ({ leftovers: ["sleep 60"] }), /left behind: sleep 60/],
    ["wrote what is no JSON", () => ({ noise: ["(node:1) Warning"] }), /no JSON: \(node/],
    ["wrote to stderr", () => ({ stderr: "TypeError" }), /stderr: TypeError/],
    ["wrote what is in no schema", ({ frames }) => ({ frames: [log, ...frames] }), /schema: frame 0/],
    ["said nothing of a bad line", () => ({ badLines: 1 }), /1 bad lines, and 0 errors/],
    ["was wrong while it was played", () => ({ wrong: ["busy"] }), /busy/],
    ["took a bad configuration", () => ({ plan: plan("end of input", "a reason") }), /for an invalid configuration/]
  ])("bad, where it %s", ([, change, expected]) =>
    Effect.map(good, (lived) => assert.match(judge({ ...lived, ...change(lived) }).join("\n"), expected))
  )

  it.effect("good, where it took long to end because others had the processor", () =>
    Effect.map(good, (lived) => assert.deepStrictEqual(judge({ ...lived, tookMs: 9000, heldMs: 8000 }), []))
  )

  it.effect("bad, whatever single response or end of a turn is left out", () =>
    Effect.map(good, (lived) => {
      for (const [at, frame] of lived.frames.entries()) {
        if (frame.kind === "event" && frame.type !== "turn_finished") continue
        assert.isNotEmpty(judge({ ...lived, frames: lived.frames.toSpliced(at, 1) }), JSON.stringify(frame))
      }
    })
  )

  it.effect("good without what a killed process did not come to write", () =>
    Effect.map(good, (lived) => {
      for (const at of lived.frames.keys()) {
        assert.deepStrictEqual(judge({ ...lived, ...killed, frames: lived.frames.slice(0, at) }), [])
      }
    })
  )
})

describe("the growth of resident memory", () => {
  it.each<[string, (at: number) => number, number]>([
    ["nothing, where it stays", () => 100, 0],
    ["nothing, where it only warms up", (at) => Math.min(100, 60 + at), 0],
    ["nothing, where it comes and goes", (at) => 100 + (at % 20) * 5, 0],
    ["what it rises by from the second quarter to the last", (at) => 100 + at, 100],
    ["what it rises by, though it comes and goes", (at) => 100 + at + (at % 20) * 5, 100]
  ])("is %s", (_name, memory, expected) => {
    assert.approximately(growthOf(Array.from({ length: 200 }, (_, at) => memory(at))), expected, 0.01)
  })
})
