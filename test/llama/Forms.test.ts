import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Entry } from "../../src/domain/Transcript.ts"
import { refuse, say } from "../../src/testing/LlamaAnswers.ts"
import * as Profiles from "../../src/testing/ServerProfiles.ts"
import { outcome, question, setUp, userEntry } from "./support/client.ts"

const base = { at: 1, turnId: "t-1" }
const call = (callId: string): Entry => ({ kind: "assistant_tool_call", ...base, callId, tool: "fs.list", args: {} })
const result = (callId: string): Entry => ({
  kind: "tool_result",
  ...base,
  callId,
  tool: "fs.list",
  status: "ok",
  summary: "a",
  truncated: false
})
const history = [userEntry("hi"), call("c-1"), call("c-2"), result("c-1"), result("c-2")]

const mostCalls = ({ messages }: { messages: ReadonlyArray<{ tool_calls?: ReadonlyArray<unknown> }> }) =>
  Math.max(...messages.map(({ tool_calls: calls = [] }) => calls.length))

it.live("a server that says so gets one call in a message from the first request on", () =>
  Effect.gen(function* () {
    const props = {
      default_generation_settings: { n_ctx: 4096 },
      chat_template_caps: { supports_parallel_tool_calls: false }
    }
    const { client, server } = yield* setUp({ pages: { "/props": { pieces: [JSON.stringify(props)] } } })
    const state = yield* client.probe
    assert.deepStrictEqual(state, { state: "ready", url: server.url, contextTokens: 4096 }, "a host is not told of it")
    yield* outcome(client.stream(question("", { history })))
    assert.deepStrictEqual(
      server.chats.map(({ body }) => mostCalls(body)),
      [1]
    )
  })
)

it.live("a router's model that says so gets one call in a message from the first request on", () =>
  Effect.gen(function* () {
    const router = Profiles.llamaRouter([{ id: "a", loaded: true }])
    const props = { chat_template_caps: { supports_parallel_tool_calls: false } }
    const page: Profiles.ServerProfile["page"] = (path, query) =>
      query.has("model") ? { pieces: [JSON.stringify(props)] } : router.page(path, query)
    const { client, server } = yield* setUp({ profile: { ...router, page } })
    assert.deepInclude(yield* client.probe, { state: "ready", model: "a" })
    yield* outcome(client.stream(question("", { history })))
    assert.deepStrictEqual(
      server.chats.map(({ body }) => mostCalls(body)),
      [1]
    )
  })
)

it.live("a form that the server took is used at once from then on", () =>
  Effect.gen(function* () {
    const { client, server } = yield* setUp()
    server.answer(({ body }) =>
      mostCalls(body) > 1 ? refuse(500, "This model only supports single tool-calls at once!") : say({ text: "there" })
    )
    for (const _ of [1, 2]) assert.isUndefined((yield* outcome(client.stream(question("", { history })))).failure)
    assert.deepStrictEqual(
      server.chats.map(({ body }) => mostCalls(body)),
      [2, 1, 1]
    )
  })
)

it.live("a history that is refused in every form is refused in the server's words, and no form is kept", () =>
  Effect.gen(function* () {
    const { client, server } = yield* setUp({ answer: refuse(400, "messages: never") })
    for (const _ of [1, 2]) {
      const { failure } = yield* outcome(client.stream(question("", { history })))
      assert.deepInclude(failure, { _tag: "Rejected", status: 400, detail: "messages: never" })
    }
    assert.deepStrictEqual(
      server.chats.map(({ body }) => mostCalls(body)),
      [2, 1, 0, 2, 1, 0]
    )
    assert.deepStrictEqual(
      server.chats.map(({ body }) => body.tools === undefined),
      [false, false, true, false, false, true]
    )
  })
)

it.live("a history that is too long as well is trimmed in the form that is taken", () =>
  Effect.gen(function* () {
    const { client, server } = yield* setUp()
    server.answer(({ body }, index) => {
      if (body.tools !== undefined) return refuse(400, "this model does not support tools")
      return index < 2 ? refuse(400, "the request exceeds the available context size") : say({ text: "there" })
    })
    assert.isUndefined((yield* outcome(client.stream(question("", { history })))).failure)
    assert.deepStrictEqual(
      server.chats.map(({ body }) => body.messages[0].role),
      ["system", "user", "user"]
    )
  })
)
