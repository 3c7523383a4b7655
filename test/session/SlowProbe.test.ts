import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Config } from "../../src/config/Config.ts"
import { LlamaClient, type ServerState } from "../../src/llama/LlamaClient.ts"
import { turn } from "../../src/testing/EventLoop.ts"
import * as GatedModel from "../../src/testing/GatedModel.ts"
import * as TestHost from "../../src/testing/TestHost.ts"
import { servicesWith, types } from "../support/Sidecar.ts"

const url = "http://127.0.0.1:8080"

/** A host whose session has started, and the gate that its model's first probe waits for. */
const started = Effect.gen(function* () {
  const answer = Deferred.makeUnsafe<ServerState>()
  const model = Layer.effect(
    LlamaClient,
    Effect.map(LlamaClient, (client) => LlamaClient.of({ ...client, probe: Deferred.await(answer) }))
  ).pipe(Layer.provide(GatedModel.make().layer))
  const host = yield* TestHost.make({
    config: Config.layerOf({ stateDir: "/nonexistent/state" }),
    services: servicesWith(model, {})
  })
  yield* host.request("hello", { extensions: ["llm_state"] })
  const starting = yield* Effect.forkChild(host.request("start_session", { workingDir: "." }))
  yield* Effect.andThen(TestClock.adjust(1000), turn).pipe(
    Effect.repeat({ until: () => starting.pollUnsafe() !== undefined })
  )
  assert.notInclude(types(host.frames), "llm_unavailable")
  assert.notInclude(types(host.frames), "llm_state")
  return { host, answer: (state: ServerState) => Deferred.succeed(answer, state) }
})

describe("a model server that takes longer than a start waits for", () => {
  it.effect("is unavailable once the probe has ended, though the session has started", () =>
    Effect.gen(function* () {
      const { answer, host } = yield* started
      yield* answer({ state: "unreachable", url, detail: "no answer within 9000 ms" })
      const { payload } = yield* host.event("llm_unavailable")
      assert.deepInclude(payload, { url, error: "no answer within 9000 ms", mode: "external" })
      assert.deepInclude((yield* host.event("llm_state")).payload, { state: "unreachable" })
    })
  )

  it.effect("is ready once it says so", () =>
    Effect.gen(function* () {
      const { answer, host } = yield* started
      yield* answer({ state: "ready", url, model: "tiny" })
      assert.deepInclude((yield* host.event("llm_state")).payload, { state: "ready", model: "tiny" })
    })
  )
})
