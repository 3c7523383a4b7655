import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { chunk, refuse, say } from "../../src/testing/LlamaAnswers.ts"
import { textOf } from "./support/captures.ts"
import { advanceUntil, clientOf, outcome, question, setUp } from "./support/client.ts"
import { serve } from "../support/RawServer.ts"

describe("what comes before the first byte", () => {
  const reset = { raw: new Uint8Array(), ending: "end" as const }

  it.live("is tried three times where the connection is reset", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({ answer: reset })
      const { failure } = yield* outcome(client.stream(question()))
      assert.strictEqual(failure?._tag, "Unreachable")
      assert.strictEqual(server.chats.length, 3)
    })
  )

  it.live("is tried again where nobody listens, and fails soon", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp()
      yield* Effect.promise(() => server.stop())
      const { failure } = yield* outcome(client.stream(question()))
      assert.strictEqual(failure?._tag, "Unreachable")
      assert.include(failure?.message, "ECONNREFUSED")
      yield* Effect.promise(() => server.restart())
      assert.strictEqual(textOf((yield* outcome(client.stream(question()))).events), "Hello.")
    })
  )

  for (const status of [429, 502, 504]) {
    it.live(`is tried again after ${status}, ${status === 429 ? "when the server wishes" : "soon"}`, () =>
      Effect.gen(function* () {
        const { server, client } = yield* setUp()
        server.answer((_, index) =>
          index < 2 ? { ...refuse(status, "busy"), headers: { "Retry-After": "0" } } : say({ text: "there" })
        )
        const { events } = yield* outcome(client.stream(question()))
        assert.strictEqual(textOf(events), "there")
        server.answer(refuse(status, "busy"))
        const { failure } = yield* outcome(client.stream(question()))
        assert.deepInclude(failure, { _tag: "Rejected", status, detail: "busy" })
        assert.strictEqual(server.chats.length, 6)
      })
    )
  }

  for (const status of [400, 401, 403, 404, 422, 500, 501, 503]) {
    it.live(`is final with ${status}, in the server's own words`, () =>
      Effect.gen(function* () {
        const { server, client } = yield* setUp({ answer: refuse(status, `no, ${status}`) })
        const { failure } = yield* outcome(client.stream(question()))
        assert.deepInclude(failure, { _tag: "Rejected", status, detail: `no, ${status}` })
        assert.strictEqual(server.chats.length, 1)
      })
    )
  }

  it.live("is final with an error whose body has no end, of which only the beginning is read", () =>
    Effect.gen(function* () {
      let sent = 0
      const endless = function* () {
        for (; sent < 100_000; sent += 1) yield "no ".repeat(10_000)
      }
      const { server, client } = yield* setUp({ answer: { status: 400, pieces: endless() } })
      const { failure } = yield* outcome(client.stream(question()))
      assert.strictEqual(failure?._tag, "Rejected")
      assert.isBelow(failure?.message.length ?? 0, 400)
      yield* Effect.promise(() => server.dropped(1))
      assert.isBelow(sent, 100_000)
    })
  )

  it.effect("is waited for while the model loads, and told once", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp()
      server.answer((_, index) => (index < 7 ? refuse(503, "Loading model") : say({ text: "there" })))
      const call = yield* Effect.forkChild(outcome(client.stream(question())))
      yield* advanceUntil(call)
      const { events } = yield* Fiber.join(call)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Loading", "Text", "Finished"]
      )
      assert.strictEqual(server.chats.length, 8)
    })
  )

  it.effect("is waited for no longer than the request timeout", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({}, { llama: { requestTimeoutMs: 5000 } })
      server.loading(true)
      const call = yield* Effect.forkChild(outcome(client.stream(question())))
      yield* advanceUntil(call)
      const { events, failure } = yield* Fiber.join(call)
      assert.deepInclude(failure, { _tag: "Loading", detail: "Loading model" })
      assert.deepStrictEqual(events, [{ _tag: "Loading" }])
      assert.isAbove(server.requests.length, 5)
    })
  )

  it.live("costs no attempt where an old connection had been closed", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({}, { llama: { completionRetries: 1 } })
      yield* outcome(client.stream(question()))
      yield* Effect.promise(() => server.stop())
      yield* Effect.promise(() => server.restart())
      const { failure } = yield* outcome(client.stream(question()))
      assert.isUndefined(failure)
    })
  )

  it.live("costs no attempt where an old connection had waited too long; on a new one that is final", () =>
    Effect.gen(function* () {
      const late = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
      const event = `data: ${JSON.stringify(chunk({ content: "there" }, "stop"))}\n\n`
      const good = `HTTP/1.1 200 OK\r\nContent-Length: ${event.length}\r\n\r\n${event}`
      let asked = 0
      const server = yield* serve(({ socket, text }) => {
        if (text.startsWith("POST")) asked += 1
        socket.write(text.startsWith("POST") && asked !== 1 && asked !== 3 ? late : good)
      })
      const client = yield* clientOf(server.origin)
      for (const count of [1, 3]) {
        assert.isUndefined((yield* outcome(client.stream(question()))).failure)
        assert.strictEqual(asked, count)
      }
      const fresh = yield* clientOf(server.origin)
      assert.deepInclude((yield* outcome(fresh.stream(question()))).failure, { _tag: "Rejected", status: 408 })
      assert.strictEqual(asked, 4)
    })
  )

  it.live("says so where the server closes the connection before it answers", () =>
    Effect.gen(function* () {
      const answer = { raw: Buffer.alloc(0), ending: "cut" } as const
      const { server, client } = yield* setUp({ answer })
      const { failure } = yield* outcome(client.stream(question()))
      assert.deepInclude(failure, {
        _tag: "Unreachable",
        detail: "the server closed the connection before it answered"
      })
      assert.strictEqual(server.chats.length, 3)
    })
  )

  it.live("has the key in a header, and never in an error", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp(
        { answer: refuse(401, "Incorrect API key provided: sk-secret-1.") },
        { llama: { apiKey: Redacted.make("sk-secret-1") } }
      )
      const { failure } = yield* outcome(client.stream(question()))
      assert.deepInclude(failure, { status: 401, detail: "Incorrect API key provided: <api key>." })
    })
  )

  it.live("finds the endpoint with a slash, with /v1, and behind a path", () =>
    Effect.gen(function* () {
      const server = (yield* setUp()).server
      for (const suffix of ["", "/", "/v1", "/v1/", "//", "/v1/chat/completions"]) {
        const client = yield* clientOf(`${server.url}${suffix}`)
        assert.strictEqual(client.url, server.url)
        assert.isUndefined((yield* outcome(client.stream(question()))).failure, suffix)
      }
      const client = yield* clientOf(`${server.url}/llama/v1`)
      const { failure } = yield* outcome(client.stream(question()))
      assert.deepInclude(failure, { status: 404, detail: "File Not Found" })
      assert.include(
        server.requests.map(({ path }) => path),
        "/llama/v1/chat/completions"
      )
    })
  )
})
