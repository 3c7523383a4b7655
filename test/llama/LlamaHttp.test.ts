import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Entry } from "../../src/domain/Transcript.ts"
import { chunk, say } from "../../src/testing/LlamaAnswers.ts"
import { capture, joined, readParts, streams, textOf } from "./support/captures.ts"
import { hung, outcome, question, setUp, userEntry } from "./support/client.ts"

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

  it.live("is sent no half of a character, for which servers refuse all that stands beside it", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp()
      const base = { at: 1, turnId: "t-1", callId: "1", tool: "fs.list" }
      const history: ReadonlyArray<Entry> = [
        userEntry("a\ud83d \\ud83d 🚀"),
        { kind: "assistant_tool_call", ...base, args: { path: "\udc00", "\ud83dkey": 1 } },
        { kind: "tool_result", ...base, status: "ok", summary: "\ude80\ud83d", truncated: false }
      ]
      yield* outcome(client.stream(question("", { history, system: "half \ud800" })))
      const messages = server.chats[0]?.body.messages
      assert.deepStrictEqual(
        [messages[0].content, messages[1].content, messages[3].content],
        ["half \ufffd", "a\ufffd \\ud83d 🚀", "\ufffd\ufffd"]
      )
      const args = messages[2].tool_calls[0].function.arguments
      assert.deepStrictEqual(JSON.parse(args), { path: "\ufffd", "\ufffdkey": 1 })
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
        joined(events).map(({ _tag }) => _tag),
        ["Prefill", "Prefill", "Reasoning", "Text", "Finished"]
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
        assert.deepStrictEqual(joined(read.events), joined(expected.events), name)
        assert.strictEqual(read.failure === undefined, expected.end?._tag === "Complete", name)
      }
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

  it.live("is read behind any number of empty lines", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp({
        answer: { pieces: ["\n".repeat(300_000), chunk({ content: "there" }), chunk({}, "stop")] }
      })
      const { events, failure } = yield* outcome(client.stream(question()))
      assert.isUndefined(failure)
      assert.strictEqual(textOf(events), "there")
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
