import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { SidecarFrame } from "../../../src/protocol/Frame.ts"
import { RandomHost } from "../runs/RandomHost.ts"
import { scriptedDir } from "../scenarios/ScriptedDir.ts"
import { Sidecar } from "../Sidecar.ts"
import { judge } from "./Judge.ts"
import type { Lived } from "./Life.ts"
import { growthOf } from "./LongLife.ts"
import { drawWorld, type End, type LifePlan } from "./Plan.ts"

const [anyLife] = drawWorld(1, 0).lives

const plan = (end: End, invalid?: { readonly [name: string]: string }): LifePlan => ({
  ...anyLife!,
  end,
  settings: { ...anyLife!.settings, invalid }
})

/** A good life, of a host that asked and read all that there was. */
let good: Lived
const dir = scriptedDir()
afterAll(() => dir[Symbol.dispose]())

beforeAll(async () => {
  using sidecar = new Sidecar(dir)
  const workingDirs = { good: ".", relative: ".", missing: "/no/where", file: "package.json" }
  const places = { workingDirs, skills: "/no/where" }
  const host = new RandomHost({ frames: sidecar.frames, write: (line) => sidecar.write(`${line}\n`), places })
  host.ensureSession()
  await sidecar.response("r0")
  host.act({ do: "send", to: "active", maxSteps: null, text: "plain" })
  host.sendLast()
  await sidecar.response("r2")
  host.askStates()
  sidecar.child.stdin.end()
  await sidecar.exited
  const { frames, noise, stderr } = sidecar
  good = {
    plan: plan("end of input"),
    posted: host.posted,
    frames,
    badLines: 0,
    noise,
    stderr,
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
  }
})

const log = { kind: "event", id: "l", type: "log", payload: { level: "loud", message: "x" } } as unknown as SidecarFrame

const killed: Partial<Lived> = { code: null, signal: "SIGKILL", plan: plan("SIGKILL"), isWhole: false }

describe("a life that was played is judged", () => {
  it("good, where nothing is wrong", () => assert.deepStrictEqual(judge(good), []))

  it.each<[string, (lived: Lived) => Partial<Lived>, RegExp]>([
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
    ["took a bad configuration", () => ({ plan: plan("end of input", {}) }), /for an invalid configuration/]
  ])("bad, where it %s", (_name, change, expected) =>
    assert.match(judge({ ...good, ...change(good) }).join("\n"), expected)
  )

  it("good, where it took long to end because others had the processor", () =>
    assert.deepStrictEqual(judge({ ...good, tookMs: 9000, heldMs: 8000 }), []))

  it("bad, whatever single response or end of a turn is left out", () => {
    for (const [at, frame] of good.frames.entries()) {
      if (frame.kind === "event" && frame.type !== "turn_finished") continue
      assert.isNotEmpty(judge({ ...good, frames: good.frames.toSpliced(at, 1) }), JSON.stringify(frame))
    }
  })

  it("good without what a killed process did not come to write", () => {
    for (const at of good.frames.keys()) {
      assert.deepStrictEqual(judge({ ...good, ...killed, frames: good.frames.slice(0, at) }), [])
    }
  })
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
