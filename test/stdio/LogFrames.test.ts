import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Config } from "../../src/config/Config.ts"
import type { Overrides } from "../../src/config/Settings.ts"
import type { EmittedEvent, EventPayload } from "../../src/protocol/Event.ts"
import * as LogFrames from "../../src/stdio/LogFrames.ts"
import { StdoutSink } from "../../src/stdio/StdoutSink.ts"

type Level = NonNullable<NonNullable<Overrides["log"]>["level"]>

const apiKey = Redacted.make("sk-planted-0123456789")

/** What goes to the host of what is logged. */
const logged = Effect.fnUntraced(function* (level: Level, work: Effect.Effect<void>) {
  const events: Array<EmittedEvent> = []
  const sink = Layer.mock(StdoutSink)({
    post: (event) => void events.push(event),
    grant: () => {},
    isGranted: () => false
  })
  yield* work.pipe(
    Effect.provide(LogFrames.layer.pipe(Layer.provide([sink, Config.layerOf({ log: { level }, llama: { apiKey } })])))
  )
  return events.map(({ payload, type }) => {
    assert.strictEqual(type, "log")
    return payload as EventPayload<"log">
  })
})

const ofEveryLevel = Effect.forEach(
  ["Trace", "Debug", "Info", "Warn", "Error", "Fatal"] as const,
  (level) => Effect.logWithLevel(level)(level),
  { discard: true }
)

const levels: ReadonlyArray<readonly [Level, ReadonlyArray<string>]> = [
  ["debug", ["Debug debug", "Info info", "Warn warn", "Error error", "Fatal error"]],
  ["info", ["Info info", "Warn warn", "Error error", "Fatal error"]],
  ["warn", ["Warn warn", "Error error", "Fatal error"]],
  ["error", ["Error error", "Fatal error"]]
]

describe("what is logged", () => {
  it.effect.each(levels)("goes to the host as events from the level %s on", ([level, expected]) =>
    Effect.gen(function* () {
      const payloads = yield* logged(level, ofEveryLevel)
      assert.deepStrictEqual(
        payloads.map((payload) => `${payload.message} ${payload.level}`),
        expected
      )
    })
  )

  it.effect("is one message, what is no text in it as JSON", () =>
    Effect.gen(function* () {
      const payloads = yield* logged("info", Effect.logInfo("took", 3, { of: ["a", "b"] }))
      assert.deepStrictEqual(payloads, [{ level: "info", message: 'took 3 {"of":["a","b"]}' }])
    })
  )

  it.effect("has no secret in it, nor a piece of one", () =>
    Effect.gen(function* () {
      const key = Redacted.value(apiKey)
      const payloads = yield* logged(
        "info",
        Effect.logInfo(`sent ${key}`, { of: [key.slice(2, 12)] }, Cause.die(new Error(key.slice(5)))).pipe(
          Effect.annotateLogs({ header: `Bearer ${key}`, list: [key.slice(0, 12)] })
        )
      )
      assert.strictEqual(payloads[0]?.message, 'sent <secret> {"of":["<secret>"]}')
      assert.deepInclude(payloads[0]?.context, { header: "Bearer <secret>", list: ["<secret>"] })
      assert.notInclude(JSON.stringify(payloads), "planted")
    })
  )

  it.effect("carries its annotations, and the cause with the place where it failed", () =>
    Effect.gen(function* () {
      const error = new Error("no such model")
      const [annotated, failed, both] = yield* logged(
        "info",
        Effect.gen(function* () {
          yield* Effect.logInfo("begun").pipe(Effect.annotateLogs({ sessionId: "s-1", attempt: 2 }))
          yield* Effect.logWarning("failed", Cause.fail(error))
          yield* Effect.logError("died", Cause.die(error)).pipe(Effect.annotateLogs({ sessionId: "s-1" }))
        })
      )
      assert.deepStrictEqual(annotated, {
        level: "info",
        message: "begun",
        context: { sessionId: "s-1", attempt: 2 }
      })
      assert.deepInclude(failed, { level: "warn", message: "failed" })
      assert.match(String(failed?.context?.["cause"]), /^Error: no such model\n\s+at .*LogFrames\.test/)
      assert.deepInclude(both, { level: "error", message: "died" })
      assert.sameMembers(Object.keys(both?.context ?? {}), ["sessionId", "cause"])
    })
  )

  it.effect("says nothing of an interruption, which is no failure", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* logged("info", Effect.logInfo("left", Cause.interrupt(1))), [
        { level: "info", message: "left" }
      ])
    })
  )
})
