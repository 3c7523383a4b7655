import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { chunk } from "../../src/testing/LlamaAnswers.ts"
import { textOf } from "./support/captures.ts"
import { advanceUntil, hung, outcome, question, setUp } from "./support/client.ts"

describe("silence", () => {
  const limits = { llama: { firstTokenTimeoutMs: 60_000, requestTimeoutMs: 10_000 } }
  const rows = [
    ["of a server that sends no head", { ...hung, headDelayMs: 1e9 }, "", 60_000],
    ["of a server that sends a head and no more", { ...hung, pieces: [] }, "", 60_000],
    ["of a server that has only pings for us", { ...hung, pieces: [":\n\n".repeat(100)], pingMs: 1 }, "", 60_000],
    ["while the prompt is read", { ...hung, pieces: [chunk({ role: "assistant", content: null })] }, "", 60_000],
    ["between words", hung, "one two", 10_000],
    ["between words, with pings", { ...hung, pingMs: 1 }, "one two", 10_000]
  ] as const
  for (const [what, answer, text, limit] of rows) {
    it.effect(`${what} ends the call`, () =>
      Effect.gen(function* () {
        const { server, client } = yield* setUp({ answer }, limits)
        const call = yield* Effect.forkChild(outcome(client.stream(question())))
        const received = yield* Effect.promise(() => server.received(1))
        yield* advanceUntil(call)
        const { events, failure } = yield* Fiber.join(call)
        assert.strictEqual(textOf(events), text)
        assert.strictEqual(failure?._tag, "Stalled")
        assert.isTrue(failure?._tag === "Stalled" && failure.silentMs >= limit && failure.silentMs <= limit * 1.2)
        yield* Effect.promise(() => server.dropped(1))
        assert.isDefined(received.closedAt)
      })
    )
  }

  it.effect("behind the reason of an answer completes it", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp(
        { answer: { pieces: [chunk({ content: "all" }), chunk({}, "stop")], ending: "hang" } },
        limits
      )
      const call = yield* Effect.forkChild(outcome(client.stream(question())))
      yield* Effect.promise(() => server.received(1))
      yield* advanceUntil(call)
      const { events, failure } = yield* Fiber.join(call)
      assert.isUndefined(failure)
      assert.strictEqual(events.at(-1)?._tag, "Finished")
      assert.isAtMost(yield* Clock.currentTimeMillis, 4000)
    })
  )
})

describe("closing", () => {
  const rows = [
    ["before the head", { ...hung, headDelayMs: 1e9 }, 0],
    ["while the prompt is read", { ...hung, pieces: [] }, 0],
    ["in the middle of the words", hung, 2]
  ] as const
  for (const [what, answer, pieces] of rows) {
    it.live(`a call ${what} closes the connection`, () =>
      Effect.gen(function* () {
        const { server, client } = yield* setUp({ answer })
        const started = yield* Deferred.make<void>()
        const call = yield* Effect.forkChild(
          Stream.runForEach(client.stream(question()), () => Deferred.succeed(started, undefined))
        )
        yield* Effect.promise(() => server.received(1))
        if (pieces > 0) yield* Deferred.await(started)
        yield* Fiber.interrupt(call)
        yield* Effect.promise(() => server.dropped(1))
      })
    )
  }

  it.live("a stream that is left early closes the connection", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({ answer: hung })
      const events = yield* Stream.runCollect(Stream.take(client.stream(question()), 1))
      assert.match(textOf(events), /^one/)
      yield* Effect.promise(() => server.dropped(1))
    })
  )
})

it.live("a server is read no faster than its words are", () =>
  Effect.gen(function* () {
    const { server, client } = yield* setUp()
    let sent = 0
    const padded = { ...chunk({ content: "x" }), system_fingerprint: "x".repeat(4096) }
    const long = function* () {
      for (; sent < 20_000; sent += 1) yield padded
      yield chunk({}, "stop")
    }
    server.answer({ pieces: long() })
    let most = 0
    let read = 0
    const { failure } = yield* outcome(
      Stream.tap(client.stream(question()), (event) =>
        Effect.suspend(() => {
          if (event._tag === "Text") read += event.text.length
          most = Math.max(most, sent - read)
          return Effect.yieldNow
        })
      )
    )
    assert.isUndefined(failure)
    assert.strictEqual(sent, 20_000)
    // 80 MB are sent; the sockets of both sides hold a few.
    assert.isBelow(most, 4000)
  })
)
