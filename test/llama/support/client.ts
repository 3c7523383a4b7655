import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Overrides } from "../../../src/config/Settings.ts"
import { Config } from "../../../src/config/Config.ts"
import type { Entry } from "../../../src/domain/Transcript.ts"
import type { ModelEvent, ModelRequest } from "../../../src/llama/LlamaClient.ts"
import { LlamaClient } from "../../../src/llama/LlamaClient.ts"
import type { LlamaError } from "../../../src/llama/LlamaError.ts"
import * as LlamaHttp from "../../../src/llama/LlamaHttp.ts"
import { chunk, say } from "../../../src/testing/LlamaAnswers.ts"
import type { LlamaServer, LlamaServerOptions } from "../../../src/testing/LlamaServer.ts"
import * as Standin from "../../../src/testing/LlamaServer.ts"
import { awaited } from "../../support/Patience.ts"

export const userEntry = (text: string, turnId = "t-1"): Entry => ({ kind: "user", at: 1, turnId, text })

/** A request with one question. */
export const question = (text = "hi", more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "You are an agent.",
  history: [userEntry(text)],
  tools: [{ name: "fs.list", description: "Lists a folder.", parameters: { type: "object" } }],
  turnIndex: 0,
  stepIndex: 0,
  ...more
})

/** A client of a URL; the retries of tests are quick. */
export const clientOf = (
  url: string,
  settings: Overrides = {}
): Effect.Effect<LlamaClient["Service"], never, Scope.Scope> =>
  Effect.map(
    Layer.build(
      Layer.provide(
        LlamaHttp.layer,
        Config.layerOf({
          ...settings,
          localModels: { url, ...settings.localModels },
          llama: { retryBackoffMs: 1, ...settings.llama }
        })
      )
    ),
    (context) => Context.get(context, LlamaClient)
  )

/** A stand-in server and a client of it. */
export const setUp = (
  options: LlamaServerOptions = {},
  settings: Overrides = {}
): Effect.Effect<{ server: LlamaServer; client: LlamaClient["Service"] }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* Standin.make(options)
    return { server, client: yield* clientOf(server.url, settings) }
  })

/** All events of a call, and the reason why it failed, if it did. */
export const outcome = (
  stream: Stream.Stream<ModelEvent, LlamaError>
): Effect.Effect<{ events: ReadonlyArray<ModelEvent>; failure: LlamaError["reason"] | undefined }> =>
  Effect.suspend(() => {
    const events: Array<ModelEvent> = []
    return Stream.runForEach(stream, (event) => Effect.sync(() => events.push(event))).pipe(
      Effect.match({
        onSuccess: () => ({ events, failure: undefined }),
        onFailure: ({ reason }) => ({ events, failure: reason })
      })
    )
  })

/** Lets time pass, a little at a time, until a fiber is done; real answers come in between. */
export const advanceUntil = (fiber: Fiber.Fiber<unknown, unknown>): Effect.Effect<void> =>
  awaited(
    "the end of a call, while time passes",
    Effect.gen(function* () {
      while (fiber.pollUnsafe() === undefined) {
        yield* TestClock.adjust(100)
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
    })
  )

/** An answer of two words that never ends. */
export const hung = {
  ...say({ text: "one two" }),
  pieces: [chunk({ content: "one" }), chunk({ content: " two" })],
  ending: "hang" as const
}
