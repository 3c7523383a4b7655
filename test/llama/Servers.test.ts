import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import type { ServerState } from "../../src/llama/LlamaClient.ts"
import { refuse, say } from "../../src/testing/LlamaAnswers.ts"
import * as Profiles from "../../src/testing/ServerProfiles.ts"
import { awaited } from "../support/Patience.ts"
import { outcome, question, setUp } from "./support/client.ts"

interface Row {
  readonly server: string
  readonly profile: Profiles.ServerProfile
  readonly configured?: string
  /** What a probe finds, without the URL. */
  readonly found: Omit<ServerState, "url">
  /** The model that the first request names. */
  readonly sent: string | undefined
  /** The end of the first request's failure, if it fails. */
  readonly failure?: string
  /** What the probe asks. */
  readonly asked: ReadonlyArray<string>
}

const two = [{ id: "a" }, { id: "b" }]
const several = "the server has several models: set localModels.model to one of a, b"
const missing = "the server has no model c: set localModels.model to one of a, b"
const list = ["/health", "/props", "/v1/models"]

const rows: ReadonlyArray<Row> = [
  {
    server: "a router with one model",
    profile: Profiles.llamaRouter([{ id: "a" }]),
    found: { state: "ready", model: "a" },
    sent: "a",
    asked: list
  },
  {
    server: "a router with one that is loaded",
    profile: Profiles.llamaRouter([{ id: "a" }, { id: "b/c:Q4", loaded: true, contextTokens: 8192 }]),
    found: { state: "ready", model: "b/c:Q4", contextTokens: 8192 },
    sent: "b/c:Q4",
    asked: [...list, "/props?model=b%2Fc%3AQ4&autoload=false"]
  },
  {
    server: "a router with several",
    profile: Profiles.llamaRouter(two),
    found: { state: "unselected", detail: several },
    sent: undefined,
    failure: `model name is missing from the request (${several})`,
    asked: [...list, "/api/v0/models"]
  },
  {
    server: "a router with several, of which one is configured",
    profile: Profiles.llamaRouter([{ id: "a", loaded: true, contextTokens: 2048 }, { id: "b" }]),
    configured: "a",
    found: { state: "ready", model: "a", contextTokens: 2048 },
    sent: "a",
    asked: [...list, "/props?model=a&autoload=false"]
  },
  {
    server: "a router without the configured one",
    profile: Profiles.llamaRouter(two),
    configured: "c",
    found: { state: "unselected", detail: missing },
    sent: "c",
    failure: `model 'c' not found (${missing})`,
    asked: list
  },
  {
    server: "Ollama with one model",
    profile: Profiles.ollama([{ id: "llama3.2:3b" }, { id: "nomic-embed-text:latest" }]),
    found: { state: "ready", model: "llama3.2:3b" },
    sent: "llama3.2:3b",
    asked: list
  },
  {
    server: "Ollama with several",
    profile: Profiles.ollama(two),
    found: { state: "unselected", detail: several },
    sent: undefined,
    failure: `model is required (${several})`,
    asked: [...list, "/api/v0/models"]
  },
  {
    server: "Ollama without a model",
    profile: Profiles.ollama([]),
    found: { state: "unselected", detail: "the server has no model" },
    sent: undefined,
    failure: "model is required (the server has no model)",
    asked: [...list, "/api/v0/models"]
  },
  {
    server: "Ollama without the configured one",
    profile: Profiles.ollama(two),
    configured: "c",
    found: { state: "unselected", detail: missing },
    sent: "c",
    failure: `model 'c' not found (${missing})`,
    asked: list
  },
  {
    server: "Ollama with the configured one, without its tag",
    profile: Profiles.ollama([{ id: "a:latest" }, { id: "b" }]),
    configured: "a",
    found: { state: "ready", model: "a" },
    sent: "a",
    asked: list
  },
  {
    server: "LM Studio with one that is loaded",
    profile: Profiles.lmStudio([...two, { id: "q", loaded: true, contextTokens: 8192 }, { id: "text-embedding-x" }]),
    found: { state: "ready", model: "q", contextTokens: 8192 },
    sent: "q",
    asked: [...list, "/api/v0/models"]
  },
  {
    server: "LM Studio with several that are loaded",
    profile: Profiles.lmStudio(two.map(({ id }) => ({ id, loaded: true }))),
    found: { state: "unselected", detail: several },
    sent: undefined,
    failure: `Multiple models are loaded. Please specify a model by providing a 'model' field. (${several})`,
    asked: [...list, "/api/v0/models"]
  },
  {
    server: "vLLM",
    profile: Profiles.vllm([{ id: "Qwen/Qwen3-8B", contextTokens: 32768 }]),
    found: { state: "ready", model: "Qwen/Qwen3-8B", contextTokens: 32768 },
    sent: "Qwen/Qwen3-8B",
    asked: list
  },
  {
    server: "vLLM with several, of which one is configured",
    profile: Profiles.vllm([{ id: "a" }, { id: "b", contextTokens: 1000 }]),
    configured: "b",
    found: { state: "ready", model: "b", contextTokens: 1000 },
    sent: "b",
    asked: list
  },
  {
    server: "llama-swap with one model",
    profile: Profiles.llamaSwap([{ id: "a" }]),
    found: { state: "ready", model: "a" },
    sent: "a",
    asked: list
  },
  {
    server: "llama-swap with several",
    profile: Profiles.llamaSwap(two),
    found: { state: "unselected", detail: several },
    sent: undefined,
    failure: `no model id could be identified (${several})`,
    asked: [...list, "/api/v0/models"]
  },
  {
    server: "LocalAI with one model",
    profile: Profiles.localAi([{ id: "a" }]),
    found: { state: "ready", model: "a" },
    sent: "a",
    asked: list
  },
  {
    server: "LocalAI with several, which takes the first",
    profile: Profiles.localAi(two),
    found: { state: "unselected", detail: several },
    sent: undefined,
    asked: [...list, "/api/v0/models"]
  },
  {
    server: "LocalAI without the configured one",
    profile: Profiles.localAi(two),
    configured: "c",
    found: { state: "unselected", detail: missing },
    sent: "c",
    failure: "could not load model: c",
    asked: list
  }
]

describe("a probe and a request of", () => {
  for (const { asked, configured, failure, found, profile, sent, server: name } of rows) {
    it.live(name, () =>
      Effect.gen(function* () {
        const localModels = configured === undefined ? {} : { model: configured }
        const { client, server } = yield* setUp({ profile }, { localModels })
        assert.deepStrictEqual(yield* client.probe, { url: server.url, ...found })
        assert.deepStrictEqual(
          server.requests.map(({ path, query }) => path + query),
          asked
        )
        const result = yield* outcome(client.stream(question()))
        assert.strictEqual(result.failure?.detail, failure)
        assert.deepStrictEqual(
          server.chats.map(({ body }) => body.model),
          [sent]
        )
      })
    )
  }
})

describe("a model that is not configured", () => {
  it.live("is asked for when a request without it is refused, once", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp({ profile: Profiles.ollama([{ id: "a" }]) })
      for (const _ of [1, 2]) assert.isUndefined((yield* outcome(client.stream(question()))).failure)
      assert.deepStrictEqual(
        server.chats.map(({ body }) => body.model),
        [undefined, "a", "a"]
      )
    })
  )

  it.live("is another one when the server has another one", () =>
    Effect.gen(function* () {
      const models = [{ id: "a" }]
      const { client, server } = yield* setUp({ profile: Profiles.ollama(models) })
      yield* client.probe
      models[0] = { id: "b" }
      assert.isUndefined((yield* outcome(client.stream(question()))).failure)
      assert.deepStrictEqual(
        server.chats.map(({ body }) => body.model),
        ["a", "b"]
      )
    })
  )

  it.live("is tried once, of a server that has another one each time", () =>
    Effect.gen(function* () {
      let lists = 0
      const page: Profiles.ServerProfile["page"] = (path, query) =>
        Profiles.ollama([{ id: `m${path === "/v1/models" ? lists++ : 0}` }]).page(path, query)
      const { client, server } = yield* setUp({ profile: { ...Profiles.ollama([]), page } })
      yield* client.probe
      assert.deepInclude((yield* outcome(client.stream(question()))).failure, { detail: "model 'm1' not found" })
      assert.deepStrictEqual(
        server.chats.map(({ body }) => body.model),
        ["m0", "m1"]
      )
    })
  )

  it.live("is kept while the server has it, whatever comes beside it", () =>
    Effect.gen(function* () {
      const models = [{ id: "a" }]
      const { client } = yield* setUp({ profile: Profiles.ollama(models) })
      yield* client.probe
      models.push({ id: "b" })
      assert.deepInclude(yield* client.probe, { state: "ready", model: "a" })
    })
  )

  it.live("of a plain llama-server is neither asked for nor named", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp()
      yield* client.probe
      yield* outcome(client.stream(question()))
      assert.deepStrictEqual(
        server.requests.map(({ path }) => path),
        ["/health", "/props", "/v1/chat/completions"]
      )
      assert.notProperty(server.chats[0]?.body, "model")
    })
  )
})

describe("the window of a router's model", () => {
  it.live("is learned when the first request has loaded it", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp({ profile: Profiles.llamaRouter([{ id: "a", contextTokens: 8192 }]) })
      yield* client.probe
      assert.isNull(yield* client.window())
      yield* outcome(client.stream(question()))
      const learned = Effect.gen(function* () {
        while ((yield* client.window()) === null) yield* Effect.promise(() => new Promise(setImmediate))
      })
      yield* awaited("the window", learned)
      assert.strictEqual(yield* client.window(), 8192)
      const requests = server.requests.length
      yield* outcome(client.stream(question()))
      assert.strictEqual(server.requests.length, requests + 1, "and is not asked for again")
    })
  )

  it.effect("is left out where it is not told in time", () =>
    Effect.gen(function* () {
      const router = Profiles.llamaRouter([{ id: "a", loaded: true }])
      const slow = { pieces: [], headDelayMs: 1e9 }
      const page: Profiles.ServerProfile["page"] = (path, query) =>
        query.has("model") ? slow : router.page(path, query)
      const { client, server } = yield* setUp({ profile: { ...router, page } })
      const probing = yield* Effect.forkChild(client.probe)
      const asked = Effect.gen(function* () {
        while (server.requests.length < 4) yield* Effect.promise(() => new Promise(setImmediate))
      })
      yield* awaited("the request for the window", asked)
      yield* TestClock.adjust(3000)
      assert.deepStrictEqual(yield* Fiber.join(probing), { state: "ready", url: server.url, model: "a" })
    })
  )
})

describe("a strict server", () => {
  const extras = ["return_progress", "cache_prompt", "stream_options"] as const
  const left = (body: any) => extras.filter((field) => field in body)

  it.live("gets a request without the fields that it refuses, and no other from then on", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp({ profile: Profiles.strict(["return_progress", "cache_prompt"], "all") })
      for (const _ of [1, 2]) assert.isUndefined((yield* outcome(client.stream(question()))).failure)
      assert.deepStrictEqual(
        server.chats.map(({ body }) => left(body)),
        [[...extras], ["stream_options"], ["stream_options"]]
      )
    })
  )

  it.live("that names one at a time is asked three times at most", () =>
    Effect.gen(function* () {
      const profile = Profiles.strict(["return_progress", "cache_prompt", "id_slot", "top_k"], "first")
      const { client, server } = yield* setUp({ profile }, { llama: { topK: 40, defaultSlot: 0 } })
      for (const _ of [1, 2]) assert.isUndefined((yield* outcome(client.stream(question()))).failure)
      assert.deepStrictEqual(
        server.chats.map(({ body }) => Object.keys(body).filter((field) => ["id_slot", "top_k"].includes(field))),
        [["id_slot", "top_k"], ["id_slot", "top_k"], [], []]
      )
    })
  )

  it.live("that goes on refusing is told no more than that, and nothing is remembered", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp({ answer: refuse(422, "unknown field return_progress") })
      for (const _ of [1, 2]) {
        assert.deepInclude((yield* outcome(client.stream(question()))).failure, { _tag: "Rejected", status: 422 })
      }
      assert.deepStrictEqual(
        server.chats.map(({ body }) => left(body).length),
        [3, 2, 3, 2]
      )
    })
  )

  it.live("whose model is another one gets all fields again", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp()
      const said = (model: string) => {
        const { pieces, ...answer } = say({ text: "there" })
        return { ...answer, pieces: [...pieces].map((each) => (typeof each === "object" ? { ...each, model } : each)) }
      }
      server.answer(({ body }) => ("cache_prompt" in body ? refuse(400, "unknown field cache_prompt") : said("one")))
      yield* outcome(client.stream(question()))
      server.answer(said("other"))
      for (const _ of [1, 2]) yield* outcome(client.stream(question()))
      assert.deepStrictEqual(
        server.chats.map(({ body }) => "cache_prompt" in body),
        [true, false, false, true]
      )
    })
  )
})

it.live("prompts that a server cuts without a word are told of, once", () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel}: ${message}`))
  return Effect.gen(function* () {
    const { client } = yield* setUp({ profile: Profiles.ollama([{ id: "a" }], 2048) })
    yield* client.probe
    for (const length of [1000, 20_000, 30_000, 40_000, 50_000]) {
      assert.isUndefined((yield* outcome(client.stream(question("x".repeat(length))))).failure)
    }
    assert.lengthOf(lines, 1)
    assert.match(lines[0] ?? "", /Warn.*2048 tokens.*num_ctx/)
  }).pipe(Effect.provide(Logger.layer([logger])))
})
