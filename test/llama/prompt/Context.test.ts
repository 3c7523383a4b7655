import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Entry } from "../../../src/domain/Transcript.ts"
import { chunk, refuse, say } from "../../../src/testing/LlamaAnswers.ts"
import { random, textOf } from "../support/captures.ts"
import { outcome, question, setUp, userEntry } from "../support/client.ts"
import { awaited } from "../../support/Patience.ts"

const turns = (count: number, length: number): ReadonlyArray<Entry> =>
  Array.from({ length: count }, (_, turn): ReadonlyArray<Entry> => [
    userEntry(`question ${turn} ${"q".repeat(length)}`, `t-${turn}`),
    { kind: "assistant_reply", at: 1, turnId: `t-${turn}`, text: `answer ${turn} ${"a".repeat(length)}` }
  ]).flat()

const overflow = {
  "as a status of its own kind": refuse(400, "too much", "exceed_context_size_error", {
    n_prompt_tokens: 9000,
    n_ctx: 2000
  }),
  "as a plain 400": refuse(400, "the request exceeds the available context size. try increasing the context size"),
  "as a 500 while the prompt is read": {
    pieces: [
      chunk({ role: "assistant", content: null }),
      { error: { code: 500, message: "Context size has been exceeded." } }
    ]
  }
}

describe("a prompt that is too long for the server", () => {
  for (const [what, answer] of Object.entries(overflow)) {
    it.live(`${what}, is sent once more, trimmed harder`, () =>
      Effect.gen(function* () {
        const { server, client } = yield* setUp()
        const history = [...turns(30, 300), userEntry("the last question", "t-last")]
        server.answer((_, index) => (index === 0 ? answer : say({ text: "there" })))
        const { events, failure } = yield* outcome(client.stream(question("", { history })))
        assert.isUndefined(failure)
        assert.strictEqual(textOf(events), "there")
        const [first, second] = server.chats.map(({ body }) => body.messages)
        assert.strictEqual(first.length, 62)
        assert.isBelow(JSON.stringify(second).length, JSON.stringify(first).length * 0.6)
        assert.isTrue(second[1].content.startsWith("question 0 "))
        assert.isTrue(second.at(-1).content.endsWith("the last question"))
        assert.isBelow(server.chats[1]?.body.max_tokens, 4096)
      })
    )

    it.live(`${what}, twice, is an overflow`, () =>
      Effect.gen(function* () {
        const { server, client } = yield* setUp({ answer })
        const history = [...turns(30, 300), userEntry("the last question", "t-last")]
        const { failure } = yield* outcome(client.stream(question("", { history })))
        assert.strictEqual(failure?._tag, "Overflow")
        assert.strictEqual(server.chats.length, 2)
      })
    )
  }

  it.live("only for its answer's cap is sent again with a smaller one, and so are those that follow", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp()
      server.answer(({ body }) =>
        body.max_tokens > 4000
          ? refuse(400, "maximum context length is 8192 tokens and your request has 150 input tokens")
          : say({ text: "there" })
      )
      const history = [...turns(3, 100), userEntry("the last question", "t-last")]
      for (const _ of [1, 2]) assert.isUndefined((yield* outcome(client.stream(question("", { history })))).failure)
      const bodies = server.chats.map(({ body }) => body)
      assert.deepStrictEqual(
        bodies.map(({ max_tokens }) => max_tokens),
        [16384, 2048, 2048]
      )
      assert.deepStrictEqual(bodies[1].messages, bodies[0].messages)
    })
  )

  it.live("is not sent again once words have come", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({
        answer: { pieces: [chunk({ content: "one" }), { error: { message: "Context size has been exceeded." } }] }
      })
      const { events, failure } = yield* outcome(client.stream(question()))
      assert.strictEqual(textOf(events), "one")
      assert.strictEqual(failure?._tag, "Overflow")
      assert.strictEqual(server.chats.length, 1)
    })
  )
})

describe("the window", () => {
  it.live("is asked for when a server first answers, and told by an overflow", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({ contextTokens: 5000 })
      assert.isNull(yield* client.window())
      assert.strictEqual((yield* client.probe).contextTokens, 5000)
      assert.strictEqual(yield* client.window(), 5000)
      server.answer((_, index) =>
        index === 0 ? refuse(400, "exceeds the available context size (3000 tokens)") : say({ text: "there" })
      )
      yield* outcome(client.stream(question()))
      assert.strictEqual(yield* client.window(), 3000)
    })
  )

  it.live("is learned behind the first answer, and anew when the server has been away", () =>
    Effect.gen(function* () {
      const options = { contextTokens: 5000 }
      const { server, client } = yield* setUp(options)
      const until = (tokens: number) =>
        awaited(
          `a window of ${tokens} tokens`,
          Effect.gen(function* () {
            while ((yield* client.window()) !== tokens) {
              yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
            }
          })
        )
      yield* outcome(client.stream(question()))
      yield* until(5000)
      yield* outcome(client.stream(question()))
      yield* Effect.promise(() => server.stop())
      assert.strictEqual((yield* outcome(client.stream(question()))).failure?._tag, "Unreachable")
      options.contextTokens = 7000
      yield* Effect.promise(() => server.restart())
      yield* outcome(client.stream(question()))
      yield* until(7000)
      yield* outcome(client.stream(question()))
      yield* client.probe
      const asked = server.requests.filter(({ path }) => path === "/props")
      assert.strictEqual(asked.length, 3, "twice by itself, and once more when it was told to")
    })
  )

  it.live("bounds what is sent, and so does agent.conversationMaxTokens", () =>
    Effect.gen(function* () {
      const history = [...turns(60, 500), userEntry("the last question", "t-last")]
      for (const [contextTokens, conversationMaxTokens] of [
        [4096, 0],
        [100_000, 3000]
      ] as const) {
        const { server, client } = yield* setUp({ contextTokens }, { agent: { conversationMaxTokens } })
        yield* client.probe
        assert.isUndefined((yield* outcome(client.stream(question("", { history })))).failure)
        assert.isBelow(JSON.stringify(server.chats[0]?.body).length, 16_000)
        assert.strictEqual(server.chats.length, 1)
      }
    })
  )
})

it.live("300 turns in a window of 4,096 tokens never overflow, and re-read less than a third of their prompts", () =>
  Effect.gen(function* () {
    const below = random(7)
    const { server, client } = yield* setUp({ contextTokens: 4096 })
    server.answer(() =>
      say({ text: "ok", usage: { prompt: server.promptTokens, cached: server.cachedTokens, completion: 30 } })
    )
    yield* client.probe
    const system = "You are an agent. ".repeat(100)
    const tools = Array.from({ length: 8 }, (_, index) => ({
      name: `tool.${index}`,
      description: "Does what it is told. ".repeat(4),
      parameters: { type: "object", properties: { path: { type: "string" }, limit: { type: "integer" } } }
    }))
    const history: Array<Entry> = []
    let read = 0
    let sent = 0
    let requests = 0
    const ask = (turnIndex: number) =>
      Effect.gen(function* () {
        const { failure } = yield* outcome(client.stream({ system, tools, history, turnIndex, stepIndex: 0 }))
        assert.isUndefined(failure)
        requests += 1
        assert.strictEqual(server.chats.length, requests, "one request for each step: none overflowed")
        assert.isTrue(server.chats.at(-1)?.body.messages[1].content.startsWith("question 0 "))
        if (requests === 1) return
        read += server.promptTokens - server.cachedTokens
        sent += server.promptTokens
      })
    for (let turn = 0; turn < 300; turn += 1) {
      const turnId = `t-${turn}`
      history.push(userEntry(`question ${turn} ${"word ".repeat(below(60))}`, turnId))
      yield* ask(turn)
      if (below(2) === 0) {
        const callId = `c-${turn}`
        const summary = `${turn} files\n${"name.txt\n".repeat(below(120))}`
        history.push({ kind: "assistant_tool_call", at: 1, turnId, callId, tool: "tool.1", args: { path: "a" } })
        history.push({
          kind: "tool_result",
          at: 1,
          turnId,
          callId,
          tool: "tool.1",
          status: "ok",
          summary,
          truncated: false
        })
        yield* ask(turn)
      }
      history.push({ kind: "assistant_reply", at: 1, turnId, text: `answer ${"word ".repeat(below(80))}` })
    }
    assert.isBelow(read / sent, 1 / 3)
  })
)
