import { extensions } from "../runs/HostActs.ts"
import { SeededRandom, seedOf } from "../../../src/testing/SeededRandom.ts"
import type { Step } from "./Acts.ts"
import { drawAnswers } from "./ModelAnswers.ts"
import { drawLife, type LifePlan, type WorldPlan } from "./Plan.ts"

/** The drawn life without what ends or breaks the process, its database or its model server. */
export const unharmed = (life: LifePlan): LifePlan => ({
  ...life,
  damage: undefined,
  settings: { ...life.settings, invalid: undefined, mode: "external" },
  steps: life.steps.filter(({ act }) => !harms.has(act.do))
})

const harms = new Set<string>([
  "corrupt",
  "close stderr",
  "lock",
  "sleep",
  "server stops",
  "server is back",
  "server loads",
  "server is ready"
])

const worldOf = (seed: number, index: number, lives: (random: SeededRandom) => ReadonlyArray<LifePlan>): WorldPlan => ({
  seed,
  index,
  disk: "good",
  lives: lives(new SeededRandom(seedOf(seed, index)))
})

/** How many processes follow each other in a world of kills. */
const killsInWorld = 10

/** Processes that are never at rest, all killed: one in six in its start, the others in the middle of their turns. */
export const drawKills = (seed: number, index: number): WorldPlan =>
  worldOf(seed, index, (random) =>
    Array.from({ length: killsInWorld }, (_, life) => {
      const isEarly = random.chance(1 / 6)
      return {
        ...unharmed(drawLife(random, life, "good")),
        settings: {
          config: {},
          dotEnv: undefined,
          env: {},
          invalid: undefined,
          maxLineBytes: undefined,
          mode: "external"
        },
        writing: "lines",
        extensions,
        resumes: true,
        isResumable: true,
        cancels: false,
        answers: drawAnswers(random, 24, { "quick calls": 2, words: 1 }),
        steps: isEarly ? [] : random.list(40, () => message),
        end: random.pick(["SIGKILL", "SIGKILL in a line"]),
        endsAfterMs: random.integer(0, isEarly ? 150 : 200)
      }
    })
  )

const message: Step = {
  act: { do: "send", to: "active", maxSteps: null, text: "plain" },
  wait: { for: "nothing" }
}

/** One conversation full of tools, approvals and cancels. */
export const drawTools = (seed: number, index: number): WorldPlan =>
  worldOf(seed, index, (random) => {
    const life = unharmed(drawLife(random, 0, "good"))
    const answers = drawAnswers(random, 24, { calls: 10, "calls with words": 4, words: 2, "words that hang": 1 })
    return [{ ...life, answers, cancels: random.chance(0.4) }]
  })
