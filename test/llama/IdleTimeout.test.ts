import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as IdleTimeout from "../../src/llama/IdleTimeout.ts"

const watched = Effect.gen(function* () {
  const state = { lifeSigns: 0, waiting: true, silences: [] as Array<number> }
  yield* Effect.forkScoped(
    IdleTimeout.watch(
      {
        isWaiting: () => state.waiting,
        lifeSigns: () => state.lifeSigns,
        limitMs: () => 10_000,
        onSilence: (silentMs) => state.silences.push(silentMs)
      },
      1000
    )
  )
  return state
})

describe("the watch for silence", () => {
  it.effect("tells of it once the limit is reached, and not before", () =>
    Effect.gen(function* () {
      const state = yield* watched
      yield* TestClock.adjust(9999)
      assert.deepStrictEqual(state.silences, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(state.silences, [10_000])
    })
  )

  it.effect("begins anew with each sign of life", () =>
    Effect.gen(function* () {
      const state = yield* watched
      for (let count = 0; count < 20; count += 1) {
        yield* TestClock.adjust(9000)
        state.lifeSigns += 1
      }
      assert.deepStrictEqual(state.silences, [])
    })
  )

  it.effect("does not count while nobody reads", () =>
    Effect.gen(function* () {
      const state = yield* watched
      state.waiting = false
      yield* TestClock.adjust(100_000)
      state.waiting = true
      yield* TestClock.adjust(9000)
      assert.deepStrictEqual(state.silences, [])
    })
  )
})

it("a beat is a tenth of the limit, within reason", () => {
  assert.deepStrictEqual([1, 200, 5000, 300_000].map(IdleTimeout.beatFor), [10, 20, 500, 1000])
})
