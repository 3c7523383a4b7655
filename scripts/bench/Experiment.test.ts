import { assert, describe, it } from "@effect/vitest"
import { type Experiment, interleave, measureRows } from "./Experiment.ts"
import type { Spawn } from "./Subject.ts"

const none: Spawn = () => {
  throw new Error("nothing is started here")
}
const bench = { port: 0, folder: "" }

/** Programs by name, and an experiment that only notes which of them it measures. */
const experimentOf = (rounds: number) => {
  const order: Array<string> = []
  const names = new Map<Spawn, string>()
  const program = (name: string): Spawn => {
    const spawn: Spawn = (given) => none(given)
    names.set(spawn, name)
    return spawn
  }
  const experiment: Experiment = {
    rounds,
    limit: program("limit"),
    measure: async (spawn) => {
      order.push(names.get(spawn) ?? "")
      return { time: order.length, twice: 2 * order.length }
    },
    rows: [
      { name: "beside the limit", unit: "ms", figure: "time", beside: { name: "limit" }, aims: [] },
      { name: "beside itself", unit: "ms", figure: "twice", beside: { name: "once", figure: "time" }, aims: [] },
      { name: "alone", unit: "ms", figure: "time", aims: [] }
    ]
  }
  return { experiment, order, program }
}

describe("an experiment of the benchmark", () => {
  it("measures every program in every round, and begins with another one each time", async () => {
    const { experiment, order, program } = experimentOf(2)
    const figures = await interleave(experiment, [program("new"), program("old")], bench, 1)
    assert.deepStrictEqual(order, ["new", "old", "limit", "limit", "old", "new"])
    assert.deepStrictEqual(
      figures.map((rounds) => rounds.map(({ time }) => time)),
      [
        [1, 6],
        [2, 5],
        [3, 4]
      ]
    )
  })

  it("takes fewer rounds with less effort, but one at least", async () => {
    for (const [effort, rounds] of [
      [0.5, 5],
      [0.01, 1],
      [2, 20]
    ] as const) {
      const { experiment, order, program } = experimentOf(10)
      await interleave(experiment, [program("new")], bench, effort)
      assert.lengthOf(order, 2 * rounds)
    }
  })

  it("shows a figure beside the limit's, beside another of its own, or alone", async () => {
    const { experiment, program } = experimentOf(1)
    const rows = await measureRows(experiment, program("new"), bench, 1)
    assert.deepStrictEqual(
      rows.map(({ name, value, beside, ratio }) => [name, value, beside?.value, ratio]),
      [
        ["beside the limit", 1, 2, 0.5],
        ["beside itself", 2, 1, 2],
        ["alone", 1, undefined, Number.NaN]
      ]
    )
  })
})
