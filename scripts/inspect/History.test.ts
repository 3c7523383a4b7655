import { assert, describe, it } from "@effect/vitest"
import { History } from "./History.ts"

describe("what the inspector keeps", () => {
  const entry = (frame: string) => ({ from: "sidecar", frame }) as const
  const numbers = (history: History, after: number, size = 1e6) =>
    history.after(after, size).texts.map((text) => JSON.parse(text).number)

  it("is everything, numbered, while there is room", () => {
    const history = new History()
    for (const frame of ["a", "b", "c"]) history.add(entry(frame))
    assert.deepStrictEqual(numbers(history, 0), [1, 2, 3])
    assert.deepStrictEqual(numbers(history, 2), [3])
    assert.deepStrictEqual(history.after(3, 10), { texts: [], last: 3 })
    assert.deepStrictEqual(history.after(0, 1e6).texts[0], `{"number":1,"from":"sidecar","frame":"a"}`)
  })

  it("is handed out in portions, of one at least", () => {
    const history = new History()
    for (const frame of ["a", "b", "c"]) history.add(entry(frame))
    assert.deepStrictEqual(history.after(0, 1).last, 1)
    assert.deepStrictEqual(numbers(history, 1, 50), [2, 3])
  })

  it("is the last so many, for as long as it goes on", () => {
    const history = new History({ entries: 3, size: 1e6 })
    for (let index = 0; index < 10_000; index++) history.add(entry("a"))
    assert.deepStrictEqual([history.first, history.last], [9998, 10_000])
    assert.deepStrictEqual(numbers(history, 5), [9998, 9999, 10_000])
  })

  it("is the last so many characters, but always the last frame", () => {
    const history = new History({ entries: 100, size: 1000 })
    for (let index = 0; index < 5; index++) history.add(entry("x".repeat(400)))
    assert.deepStrictEqual(numbers(history, 0), [4, 5])
    history.add(entry("x".repeat(5000)))
    assert.deepStrictEqual(numbers(history, 0), [6])
  })

  it("tells who listens, until they do not", () => {
    const history = new History()
    let additions = 0
    const deaf = history.onAdd(() => (additions += 1))
    history.add(entry("a"))
    deaf()
    history.add(entry("b"))
    assert.strictEqual(additions, 1)
  })
})
