import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { LlamaClient, type ServerState } from "../../src/llama/LlamaClient.ts"
import type { EmittedEvent } from "../../src/protocol/Event.ts"
import { ModelStatus } from "../../src/session/ModelStatus.ts"
import { StdoutSink } from "../../src/stdio/StdoutSink.ts"

const url = "http://127.0.0.1:8080"

it.effect("what a probe cannot see of a server that loads is no change, and not forgotten", () => {
  const ready: ServerState = { state: "ready", url, model: "tiny", contextTokens: 4096 }
  const loading: ServerState = { state: "loading", url, detail: "Loading model" }
  let found = loading
  const told: Array<unknown> = []
  const emit = ({ payload }: EmittedEvent) => Effect.sync(() => void told.push(payload))
  return Effect.gen(function* () {
    const watch = yield* ModelStatus
    yield* watch.report(ready)
    yield* watch.observe("loading")
    yield* Effect.forkScoped(watch.probing)
    yield* TestClock.adjust(4000)
    assert.deepStrictEqual(told.splice(0), [ready, { ...ready, state: "loading" }])
    found = { ...ready, model: "other" }
    yield* TestClock.adjust(4000)
    assert.deepStrictEqual(told, [found])
  }).pipe(
    Effect.provide(
      ModelStatus.layer.pipe(
        Layer.provide(Layer.mock(LlamaClient)({ url, slotId: -1, probe: Effect.sync(() => found) })),
        Layer.provide(Layer.mock(StdoutSink)({ emit, post: () => {}, grant: () => {}, isGranted: () => true }))
      )
    )
  )
})

it.effect("another reason why no turn can work is a change, another wording of silence is none", () => {
  let found: ServerState = { state: "unselected", url, detail: "the server has no model" }
  const told: Array<unknown> = []
  const emit = ({ payload }: EmittedEvent) => Effect.sync(() => void told.push(payload))
  return Effect.gen(function* () {
    const watch = yield* ModelStatus
    yield* watch.report(found)
    yield* Effect.forkScoped(watch.probing)
    for (const [state, detail] of [
      ["unselected", "the server has no model"],
      ["unselected", "the server has several models"],
      ["unreachable", "ECONNREFUSED"],
      ["unreachable", "no answer"]
    ] as const) {
      found = { state, url, detail }
      yield* TestClock.adjust(4000)
    }
    assert.deepStrictEqual(told, [
      { state: "unselected", url, detail: "the server has no model" },
      { state: "unselected", url, detail: "the server has several models" },
      { state: "unreachable", url, detail: "ECONNREFUSED" }
    ])
  }).pipe(
    Effect.provide(
      ModelStatus.layer.pipe(
        Layer.provide(Layer.mock(LlamaClient)({ url, slotId: -1, probe: Effect.sync(() => found) })),
        Layer.provide(Layer.mock(StdoutSink)({ emit, post: () => {}, grant: () => {}, isGranted: () => true }))
      )
    )
  )
})
