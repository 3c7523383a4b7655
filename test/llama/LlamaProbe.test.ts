import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ProbeAnswer } from "../../src/llama/LlamaProbe.ts"
import { judge } from "../../src/llama/LlamaProbe.ts"
import { refuse } from "../../src/testing/LlamaAnswers.ts"
import { capture } from "./support/captures.ts"
import { clientOf, outcome, question, setUp } from "./support/client.ts"
import { serve } from "../support/RawServer.ts"

const answer = (status: number, body: unknown): ProbeAnswer => ({
  head: { status, statusText: "", headers: {} },
  body: typeof body === "string" ? body : JSON.stringify(body)
})
const fromCapture = (name: string): ProbeAnswer => answer(capture(name).status, capture(name).body.toString())
const unreachable: ProbeAnswer = { head: "no connection", body: "connect ECONNREFUSED 127.0.0.1:8080" }
const missing = answer(404, "404 page not found")
const healthy = answer(200, { status: "ok" })
const routerProps = answer(200, {
  role: "router",
  model_alias: "llama-server",
  model_path: "none",
  default_generation_settings: { params: null, n_ctx: 0 }
})

type Answers = Parameters<typeof judge>[1]

const rows: ReadonlyArray<readonly [what: string, answers: Answers, state: unknown]> = [
  ["nobody there", { health: unreachable }, { state: "unreachable", detail: unreachable.body }],
  ["a loading llama-server", { health: fromCapture("loading-health") }, { state: "loading", detail: "Loading model" }],
  ["a loading one of an old build", { health: answer(503, { status: "loading model" }) }, { state: "loading" }],
  ["one whose health comes too early", { health: healthy, props: fromCapture("loading-chat") }, { state: "loading" }],
  ["a health that is not enough", { health: healthy }, undefined],
  [
    "a ready llama-server",
    { health: fromCapture("health-ok"), props: fromCapture("props") },
    { state: "ready", model: "tiny", contextTokens: 4096 }
  ],
  [
    "an old one without an alias",
    { health: healthy, props: answer(200, { default_generation_settings: { n_ctx: 2048, model: "/m/qwen.gguf" } }) },
    { state: "ready", model: "qwen.gguf", contextTokens: 2048 }
  ],
  ["one without /props", { health: healthy, props: missing }, undefined],
  [
    "one with a list of models",
    { health: healthy, props: missing, models: fromCapture("models") },
    { state: "ready", model: "tiny", contextTokens: 4096 }
  ],
  [
    "vLLM",
    { health: answer(200, ""), props: missing, models: answer(200, { data: [{ id: "q", max_model_len: 8192 }] }) },
    { state: "ready", model: "q", contextTokens: 8192 }
  ],
  [
    "Ollama",
    { health: missing, props: missing, models: answer(200, { data: [{ id: "llama3:8b", owned_by: "library" }] }) },
    { state: "ready", model: "llama3:8b" }
  ],
  [
    "LM Studio",
    {
      health: answer(200, { error: "Unexpected endpoint or method. (GET /health)" }),
      props: answer(200, { error: "Unexpected endpoint or method. (GET /props)" }),
      models: answer(200, { object: "list", data: [{ id: "a" }, { id: "b" }] })
    },
    { state: "unselected", detail: "the server has several models: set localModels.model to one of a, b" }
  ],
  [
    "a llama-server that is a router",
    { health: healthy, props: routerProps, models: answer(200, { data: [{ id: "a", status: { value: "loaded" } }] }) },
    { state: "ready", model: "a" }
  ],
  ["one whose list is not known yet", { health: healthy, props: routerProps }, undefined],
  [
    "one that loads its model",
    { health: healthy, props: routerProps, models: answer(200, { data: [{ id: "a", status: { value: "loading" } }] }) },
    { state: "loading", model: "a" }
  ],
  [
    "one that has no model",
    { health: healthy, props: routerProps, models: answer(200, { object: "list", data: [] }) },
    { state: "unselected", detail: "the server has no model" }
  ],
  [
    "an Ollama that has no model",
    { health: missing, props: missing, models: answer(200, { object: "list", data: null }) },
    { state: "unselected", detail: "the server has no model" }
  ],
  ["a list without models", { health: healthy, props: missing, models: answer(200, { data: [] }) }, { state: "ready" }],
  [
    "a web server",
    {
      health: answer(200, "<html></html>"),
      props: answer(200, "<html></html>"),
      models: answer(200, "<html><title>Welcome</title></html>")
    },
    { state: "foreign", detail: "HTTP 200: Welcome" }
  ],
  ["a server of something else", { health: missing, props: missing, models: missing }, { state: "foreign" }],
  [
    "a key that is not accepted",
    { health: healthy, props: fromCapture("err-api-key"), models: fromCapture("err-api-key") },
    { state: "foreign", detail: "Invalid API Key" }
  ]
]

describe("a probe finds", () => {
  const probe = { url: "http://127.0.0.1:8080/", model: undefined, headers: {}, timeoutMs: 3000 }
  for (const [what, answers, state] of rows) {
    it(what, () => {
      const judged = judge(probe, answers)
      if (state === undefined) return assert.isUndefined(judged)
      return assert.deepInclude(judged, { url: "http://127.0.0.1:8080", ...(state as object) })
    })
  }

  it("no window that cannot be", () => {
    const props = answer(200, { default_generation_settings: { n_ctx: 1e300 } })
    assert.deepStrictEqual(judge(probe, { health: healthy, props }), { state: "ready", url: "http://127.0.0.1:8080" })
  })

  it("the window of the model that is asked for", () => {
    const models = answer(200, {
      data: [
        { id: "a", max_model_len: 1024 },
        { id: "b", max_model_len: 2048 }
      ]
    })
    const judged = judge({ ...probe, model: "b" }, { health: missing, props: missing, models })
    assert.deepInclude(judged, { state: "ready", model: "b", contextTokens: 2048 })
  })
})

describe("a probe of a real address", () => {
  it.live("never fails, and asks no more than it must", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({ contextTokens: 1234, model: "m" })
      assert.deepStrictEqual(yield* client.probe, { state: "ready", url: server.url, model: "m", contextTokens: 1234 })
      server.loading(true)
      assert.deepInclude(yield* client.probe, { state: "loading" })
      yield* Effect.promise(() => server.stop())
      assert.deepInclude(yield* client.probe, { state: "unreachable" })
      assert.deepStrictEqual(
        server.requests.map(({ path }) => path),
        ["/health", "/props", "/health"]
      )
    })
  )

  it.live("is not taken in by what speaks no HTTP", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({
        pages: { "/health": { raw: Buffer.from("SSH-2.0-OpenSSH_9.2p1\r\n") } },
        answer: { raw: Buffer.from("SSH-2.0-OpenSSH_9.2p1\r\n") }
      })
      const probed = yield* client.probe
      assert.strictEqual(probed.state, "foreign")
      assert.include(probed.detail, "no HTTP server")
      const { failure } = yield* outcome(client.stream(question()))
      assert.strictEqual(failure?._tag, "Malformed")
      assert.strictEqual(server.chats.length, 1)
    })
  )

  const closings: ReadonlyArray<readonly [name: string, closes: "behind each answer" | "at the second request"]> = [
    ["that closes each connection without a word", "behind each answer"],
    ["that closes a connection at its second request", "at the second request"]
  ]
  for (const [name, closes] of closings) {
    it.live(`finds a server ${name}`, () =>
      Effect.gen(function* () {
        const server = yield* serve(({ request, socket, text }) => {
          if (request > 0) return void socket.destroy()
          const body = JSON.stringify(text.startsWith("GET /props") ? { n_ctx: 77 } : { status: "ok" })
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
          if (closes === "behind each answer") socket.end()
        })
        const client = yield* clientOf(server.origin)
        assert.deepStrictEqual(yield* client.probe, { state: "ready", url: server.origin, contextTokens: 77 })
      })
    )
  }

  it.live("takes no longer than it may", () =>
    Effect.gen(function* () {
      const silent = { pieces: [], headDelayMs: 1e9 }
      const { client } = yield* setUp({ pages: { "/health": silent } }, { llama: { healthTimeoutMs: 20 } })
      const { detail, state } = yield* client.probe
      assert.strictEqual(state, "unreachable")
      // On a busy machine even the connection may take longer.
      assert.match(detail ?? "", /within 20 ms$/)
    })
  )

  it.live("shows neither key nor password", () =>
    Effect.gen(function* () {
      const quoting = refuse(401, "bad key sk-1")
      const { server } = yield* setUp({ pages: { "/props": quoting, "/v1/models": quoting } })
      const client = yield* clientOf(server.url.replace("//", "//me:pass@"), {
        llama: { apiKey: Redacted.make("sk-1") }
      })
      assert.deepStrictEqual(yield* client.probe, {
        state: "foreign",
        url: server.url,
        detail: "bad key <api key>"
      })
      assert.strictEqual(client.url, server.url)
    })
  )
})
