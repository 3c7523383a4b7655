import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { chunk, refuse, say } from "../../src/testing/LlamaAnswers.ts"
import { capture, readParts, streams, textOf } from "./support/captures.ts"
import { clientOf, outcome, question, setUp } from "./support/client.ts"

const hung = {
  ...say({ text: "one two" }),
  pieces: [chunk({ content: "one" }), chunk({ content: " two" })],
  ending: "hang" as const
}

/** Lets time pass, a little at a time, until a fiber is done; real answers come in between. */
const advanceUntil = (fiber: Fiber.Fiber<unknown, unknown>): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(100)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
  })

describe("a model call over HTTP", () => {
  it.live("asks for a stream with everything that a server can tell", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp()
      yield* outcome(client.stream(question("hi")))
      assert.deepStrictEqual(server.chats[0]?.body, {
        messages: [
          { role: "system", content: "You are an agent." },
          { role: "user", content: "hi" }
        ],
        tools: [
          {
            type: "function",
            function: { name: "fs_list", description: "Lists a folder.", parameters: { type: "object" } }
          }
        ],
        stream: true,
        stream_options: { include_usage: true },
        return_progress: true,
        cache_prompt: true,
        max_tokens: 16384
      })
    })
  )

  it.live("asks for what is configured", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp(
        {},
        {
          localModels: { model: "qwen", completionMaxTokens: 0, thinking: "off" },
          llama: { defaultSlot: 0, temperature: 0, topP: 0.5, topK: 40, seed: 7, apiKey: Redacted.make("k-1") }
        }
      )
      yield* outcome(client.stream(question("hi", { tools: [] })))
      const body = server.chats[0]?.body
      assert.deepStrictEqual(body, {
        messages: body.messages,
        model: "qwen",
        stream: true,
        stream_options: { include_usage: true },
        return_progress: true,
        cache_prompt: true,
        id_slot: 0,
        chat_template_kwargs: { enable_thinking: false },
        temperature: 0,
        top_p: 0.5,
        top_k: 40,
        seed: 7
      })
      assert.strictEqual(server.chats[0]?.headers.authorization, "Bearer k-1")
    })
  )

  it.live("yields what the server streams, in its order", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp()
      server.answer(
        say({
          reasoning: "well now",
          text: "I look. 日本語 👩‍💻\u2028",
          toolCalls: [{ name: "fs.list", arguments: { path: "a/b/c/d/e/f", depth: 2 } }],
          usage: { prompt: 100, cached: 60, completion: 9 },
          prefill: [60, 100]
        })
      )
      const { events, failure } = yield* outcome(client.stream(question()))
      assert.isUndefined(failure)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Prefill", "Prefill", "Reasoning", "Reasoning", "Text", "Text", "Text", "Text", "Text", "Finished"]
      )
      assert.strictEqual(textOf(events), "I look. 日本語 👩‍💻\u2028")
      assert.deepStrictEqual(events.at(-1), {
        _tag: "Finished",
        reason: "tool_calls",
        calls: [{ name: "fs.list", args: { _tag: "Parsed", value: { path: "a/b/c/d/e/f", depth: 2 } } }],
        usage: { promptTokens: 100, cachedTokens: 60, completionTokens: 9 },
        tokensPerSecond: 100
      })
    })
  )

  it.live("reads the captures as they came over the socket, in small parts", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp()
      for (const { name, raw, body } of streams) {
        if (raw.length > 20_000) continue
        server.answer({ raw, chunkBytes: 97 })
        const read = yield* outcome(client.stream(question("hi", { tools: [] })))
        const expected = readParts([body])
        assert.deepStrictEqual(read.events, expected.events, name)
        assert.strictEqual(read.failure === undefined, expected.end?._tag === "Complete", name)
      }
    })
  )
})

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
      assert.strictEqual(server.requests.at(-1)?.path, "/llama/v1/chat/completions")
    })
  )
})

describe("an answer that goes wrong", () => {
  it.live("keeps its text when the connection breaks, and is not asked for again", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({ answer: { ...hung, ending: "cut" } })
      const { events, failure } = yield* outcome(client.stream(question()))
      assert.strictEqual(textOf(events), "one two")
      assert.strictEqual(failure?._tag, "Cut")
      assert.strictEqual(server.chats.length, 1)
    })
  )

  it.live("fails in the server's words when an error comes in the stream", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp({
        answer: { pieces: [chunk({ content: "one" }), { error: { code: 500, message: "the tensor broke" } }] }
      })
      const { events, failure } = yield* outcome(client.stream(question()))
      assert.strictEqual(textOf(events), "one")
      assert.deepInclude(failure, { _tag: "Rejected", status: 200, detail: "the tensor broke" })
    })
  )

  it.live("fails as malformed when a page comes instead", () =>
    Effect.gen(function* () {
      const html = "<!DOCTYPE html><html><head><title>Welcome to nginx!</title></head></html>"
      for (const type of ["text/html", "text/event-stream"]) {
        const { client } = yield* setUp({ answer: { headers: { "Content-Type": type }, pieces: [html] } })
        const { failure } = yield* outcome(client.stream(question()))
        assert.strictEqual(failure?._tag, "Malformed")
        assert.include(failure?.message, "Welcome to nginx!")
      }
    })
  )

  it.live("is read all the same when it was not streamed", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp()
      const { raw } = capture("chat-tools-parallel")
      server.answer({ raw, chunkBytes: 100 })
      const { events, failure } = yield* outcome(client.stream(question()))
      assert.isUndefined(failure)
      const last = events.at(-1)
      assert.deepStrictEqual(last?._tag === "Finished" ? last.calls.map(({ name }) => name) : [], [
        "get_time",
        "get_weather"
      ])
    })
  )

  it.live("is complete without [DONE], and even if the connection breaks behind its reason", () =>
    Effect.gen(function* () {
      const pieces = [chunk({ content: "all" }), chunk({}, "stop")]
      for (const ending of ["end", "cut"] as const) {
        const { client } = yield* setUp({ answer: { pieces, ending } })
        const { events, failure } = yield* outcome(client.stream(question()))
        assert.isUndefined(failure)
        assert.deepStrictEqual(events.at(-1), { _tag: "Finished", reason: "stop", calls: [] })
      }
    })
  )
})

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
        const seen = yield* Effect.promise(() => server.seen(1))
        yield* advanceUntil(call)
        const { events, failure } = yield* Fiber.join(call)
        assert.strictEqual(textOf(events), text)
        assert.strictEqual(failure?._tag, "Stalled")
        assert.isTrue(failure?._tag === "Stalled" && failure.silentMs >= limit && failure.silentMs <= limit * 1.2)
        yield* Effect.promise(() => server.dropped(1))
        assert.isDefined(seen.closedAt)
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
      yield* Effect.promise(() => server.seen(1))
      yield* advanceUntil(call)
      const { events, failure } = yield* Fiber.join(call)
      assert.isUndefined(failure)
      assert.strictEqual(events.at(-1)?._tag, "Finished")
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
        const heard = yield* Deferred.make<void>()
        const call = yield* Effect.forkChild(
          Stream.runForEach(client.stream(question()), () => Deferred.succeed(heard, undefined))
        )
        yield* Effect.promise(() => server.seen(1))
        if (pieces > 0) yield* Deferred.await(heard)
        yield* Fiber.interrupt(call)
        yield* Effect.promise(() => server.dropped(1))
      })
    )
  }

  it.live("a stream that is left early closes the connection", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({ answer: hung })
      const events = yield* Stream.runCollect(Stream.take(client.stream(question()), 1))
      assert.strictEqual(textOf(events), "one")
      yield* Effect.promise(() => server.dropped(1))
    })
  )
})

it.live("a server is read no faster than its words are", () =>
  Effect.gen(function* () {
    const { server, client } = yield* setUp()
    let sent = 0
    const long = function* () {
      for (; sent < 20_000; sent += 1) yield chunk({ content: "x".repeat(4096) })
      yield chunk({}, "stop")
    }
    server.answer({ pieces: long() })
    let most = 0
    let read = 0
    const { failure } = yield* outcome(
      Stream.tap(client.stream(question()), () =>
        Effect.suspend(() => {
          read += 1
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
