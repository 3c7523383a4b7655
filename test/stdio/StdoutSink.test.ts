import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import { Config } from "../../src/config/Config.ts"
import type { EmittedEvent } from "../../src/protocol/Event.ts"
import { SessionId, TurnId } from "../../src/protocol/Ids.ts"
import { StdoutSink } from "../../src/stdio/StdoutSink.ts"
import * as MemoryStdio from "../../src/testing/MemoryStdio.ts"

const nextRound = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** A sink that waits for what it is given, and what it has written so far, a write each. */
const idleWith = Effect.fnUntraced(function* (config: Parameters<typeof Config.layerOf>[0]) {
  const { onOutput, reading, stdio } = yield* MemoryStdio.make
  const writes: Array<string> = []
  onOutput((text) => {
    writes.push(text)
  })
  const layer = StdoutSink.layer.pipe(Layer.provide([Layer.succeed(Stdio.Stdio, stdio), Config.layerOf(config)]))
  const sink = yield* StdoutSink.pipe(Effect.provide(yield* Layer.build(layer)))
  yield* nextRound
  return { sink, writes, reading }
})
const idle = idleWith({})

const names = { sessionId: SessionId.make("s-1"), turnId: TurnId.make("t-1") }
const delta = (text: string): EmittedEvent => ({ type: "assistant_delta", payload: { ...names, text } })
const log = (message: string): EmittedEvent => ({ type: "log", payload: { level: "info", message } })

describe("what is written", () => {
  it.effect("is a lone delta at once, before its teller goes on", () =>
    Effect.gen(function* () {
      const { sink, writes } = yield* idle
      for (const text of ["a", "b"]) {
        yield* sink.emit(delta(text))
        assert.include(writes.at(-1), `"text":"${text}"`)
      }
      assert.strictEqual(writes.length, 2)
    })
  )

  it.effect("is one write for all that is told in a round", () =>
    Effect.gen(function* () {
      const { sink, writes } = yield* idle
      yield* sink.emit(log("one"))
      yield* sink.emitAll([delta("two"), log("three")])
      yield* sink.emit(delta("four"))
      yield* sink.answer("five\n")
      assert.deepStrictEqual(writes, [])
      yield* nextRound
      assert.strictEqual(writes.length, 1)
      const order = ["one", "two", "three", "four", "five"].map((word) => writes[0]?.indexOf(word) ?? -1)
      assert.deepStrictEqual(
        order,
        order.toSorted((a, b) => a - b)
      )
      assert.isAbove(order[0] ?? -1, 0)
    })
  )

  it.effect("is merged while the one before is on its way", () =>
    Effect.gen(function* () {
      const { reading, sink, writes } = yield* idle
      yield* reading.close
      for (const text of ["a", "b", "c"]) yield* sink.emit(delta(text))
      yield* reading.open
      yield* nextRound
      assert.deepStrictEqual(
        writes.map((line): string => JSON.parse(line).payload.text),
        ["a", "bc"]
      )
    })
  )
})

describe("who waits for room", () => {
  it.effect("is let in with an answer before with an event, whoever came first", () =>
    Effect.gen(function* () {
      const { reading, sink, writes } = yield* idleWith({ sidecar: { outputBufferBytes: 1000 } })
      yield* reading.close
      sink.post(log("x".repeat(3000)))
      yield* nextRound
      const waiting = [
        sink.emit(log("event")),
        sink.emit(delta("token")),
        sink.answer("answer\n"),
        sink.answer("next\n")
      ]
      const fibers: Array<Fiber.Fiber<void>> = []
      for (const each of waiting) {
        const fiber = yield* Effect.forkChild(each)
        yield* nextRound
        assert.isUndefined(fiber.pollUnsafe())
        fibers.push(fiber)
      }
      yield* reading.open
      yield* Fiber.joinAll(fibers)
      yield* nextRound
      const [, ...lines] = writes.join("").trim().split("\n")
      const words = ["answer", "next", "event", "token"]
      assert.strictEqual(lines.length, words.length)
      for (const [index, word] of words.entries()) assert.include(lines[index], word)
    })
  )
})
