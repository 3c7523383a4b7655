import { assert, describe, it } from "@effect/vitest"
import { chunk, refuse, say } from "../../src/testing/LlamaAnswers.ts"
import type { LlamaServer, LlamaServerOptions } from "../../src/testing/LlamaServer.ts"
import * as Standin from "../../src/testing/LlamaServer.ts"
import * as Profiles from "../../src/testing/ServerProfiles.ts"
import { Bin, StateDir } from "../support/Bin.ts"

interface Setting {
  readonly server: LlamaServer
  readonly bin: Bin
}

/** A stand-in server and the real bin that is told of it; what the bin writes is held against the contract at its end. */
const over = async (
  play: (setting: Setting) => Promise<void>,
  options: LlamaServerOptions = {},
  env: NodeJS.ProcessEnv = {}
): Promise<void> => {
  const server = await Standin.start(options)
  try {
    using dir = new StateDir({ localModels: { url: `${server.url}/v1/` } })
    using bin = new Bin(dir, { env })
    await play({ server, bin })
    await bin.end()
  } finally {
    await server.stop()
  }
}

const send = async (bin: Bin, sessionId: string, text = "hi"): Promise<string> => {
  const response = await bin.request("send_message", { sessionId, text })
  return response.ok ? (response.payload as { reason: string }).reason : response.error.message
}

const errors = (bin: Bin): ReadonlyArray<readonly [code: string, message: string]> =>
  bin.frames.flatMap((frame) =>
    frame.kind === "event" && frame.type === "error" ? [[frame.payload.code ?? "", frame.payload.message] as const] : []
  )

const replies = (bin: Bin): ReadonlyArray<string> =>
  bin.frames.flatMap((frame) =>
    frame.kind === "event" && frame.type === "assistant_reply" ? [frame.payload.text] : []
  )

const begun = [chunk({ content: "one" }), chunk({ content: " two" })]
const rest = [chunk({ content: " three" }), chunk({}, "stop"), "data: [DONE]\n\n"]

describe("over the real bin, a model server", () => {
  it("that is down at the start and up later answers when it is there", () =>
    over(async ({ server, bin }) => {
      await server.stop()
      const id = await bin.session()
      assert.include((await bin.event("llm_unavailable")).payload.error, "ECONNREFUSED")
      assert.strictEqual(await send(bin, id), "failed")
      assert.deepStrictEqual(
        errors(bin).map(([code]) => code),
        ["step_error:transport"]
      )
      await server.restart()
      assert.strictEqual(await send(bin, id), "reply")
    }))

  it("that loads is waited for", () =>
    over(async ({ server, bin }) => {
      const id = await bin.session()
      server.answer((_, index) => (index < 6 ? refuse(503, "Loading model") : say({ text: "there" })))
      assert.strictEqual(await send(bin, id), "reply")
      assert.deepStrictEqual([replies(bin), server.chats.length], [["there"], 7])
    }))

  it("that is killed in mid-stream and comes back fails one turn and answers the next", () =>
    over(async ({ server, bin }) => {
      const id = await bin.session()
      server.answer({ pieces: begun, ending: "hang" })
      const turn = send(bin, id)
      await bin.event("assistant_delta", ({ payload }) => payload.text.endsWith("two"))
      await server.stop()
      assert.strictEqual(await turn, "failed")
      await server.restart()
      server.answer(say({ text: "back" }))
      assert.strictEqual(await send(bin, id, "and now?"), "reply")
      assert.deepStrictEqual(server.chats.at(-1)?.body.messages.slice(1), [
        { role: "user", content: "hi" },
        { role: "assistant", content: "one two" },
        { role: "user", content: "and now?" }
      ])
    }))

  it("that stalls in mid-stream, pinging, fails the turn and is left", () =>
    over(
      async ({ server, bin }) => {
        const id = await bin.session()
        server.answer({ pieces: begun, ending: "hang", pingMs: 20 })
        assert.strictEqual(await send(bin, id), "failed")
        await server.dropped(1)
        assert.match(errors(bin)[0]?.join() ?? "", /^step_error:transport,.*silent/)
        server.answer(say({ text: "again" }))
        assert.strictEqual(await send(bin, id), "reply")
      },
      {},
      { ATOMIC_AGENT_LLAMA_REQUEST_TIMEOUT_MS: "300" }
    ))

  it("whose words come while the sidecar is stopped for longer than silence may last is heard to the end", () =>
    over(
      async ({ server, bin }) => {
        const id = await bin.session()
        const pieces = function* () {
          yield* begun
          bin.child.kill("SIGSTOP")
          yield 1200
          bin.child.kill("SIGCONT")
          yield 30
          yield* rest
        }
        server.answer({ pieces: pieces() })
        assert.strictEqual(await send(bin, id), "reply")
        assert.deepStrictEqual(replies(bin), ["one two three"])
      },
      {},
      { ATOMIC_AGENT_LLAMA_REQUEST_TIMEOUT_MS: "500" }
    ))

  it("that overflows after thirty turns gets one harder trim, and the conversation goes on", () =>
    over(
      async ({ server, bin }) => {
        const id = await bin.session()
        const refused: Array<number> = []
        let turn = 0
        server.answer(({ body }) => {
          if (JSON.stringify(body.messages).length < 30_000) return say({ text: "a".repeat(400) })
          refused.push(turn)
          return refuse(500, "Context size has been exceeded.")
        })
        for (; turn < 120; turn += 1) {
          assert.strictEqual(await send(bin, id, `question ${turn} ${"q".repeat(400)}`), "reply")
          assert.isTrue(server.chats.at(-1)?.body.messages[1].content.startsWith("question 0 "))
        }
        assert.isAtLeast(refused[0] ?? 0, 28)
        assert.strictEqual(refused.length, 1, "what was too much is not sent again")
        assert.deepStrictEqual(errors(bin), [])
      },
      { contextTokens: 1_000_000 }
    ))

  it("that can never be pleased fails the turn as the contract says", () =>
    over(async ({ server, bin }) => {
      const id = await bin.session()
      const rows = [
        [refuse(400, "the request exceeds the available context size"), "model"],
        [refuse(400, "failed to parse grammar"), "grammar"],
        [refuse(401, "Invalid API Key"), "transport"],
        [refuse(404, "File Not Found"), "transport"],
        [{ headers: { "Content-Type": "text/html" }, pieces: ["<html><title>Hello</title></html>"] }, "transport"],
        [{ pieces: [...begun, { error: { message: "boom" } }] }, "transport"],
        [{ pieces: begun }, "transport"],
        [{ pieces: [chunk({ reasoning_content: "hm" }), chunk({}, "stop")] }, "model"]
      ] as const
      for (const [answer, category] of rows) {
        server.answer(answer)
        assert.strictEqual(await send(bin, id), "failed")
        assert.strictEqual(errors(bin).at(-1)?.[0], `step_error:${category}`)
      }
      server.answer(say({ text: "well then" }))
      assert.strictEqual(await send(bin, id), "reply")
    }))

  it("that is a router with one loaded model is asked for that one", () =>
    over(
      async ({ server, bin }) => {
        await bin.request("hello", { extensions: ["llm_state"] })
        const id = await bin.session()
        assert.deepStrictEqual((await bin.event("llm_state")).payload, {
          state: "ready",
          url: server.url,
          model: "b",
          contextTokens: 8192
        })
        assert.strictEqual(await send(bin, id), "reply")
        assert.strictEqual(server.chats[0]?.body.model, "b")
      },
      { profile: Profiles.llamaRouter([{ id: "a" }, { id: "b", loaded: true, contextTokens: 8192 }]) }
    ))

  it("lists its models, and answers with the one that a session asks for", () =>
    over(
      async ({ server, bin }) => {
        await bin.request("hello", { extensions: ["options"] })
        const { payload } = await bin.request("start_session", { workingDir: ".", options: { model: "a" } })
        const { sessionId } = payload as { sessionId: string }
        const listed = (await bin.request("list_models")).payload
        assert.deepStrictEqual(listed, {
          models: [
            { id: "a", loaded: false },
            { id: "b", loaded: true }
          ]
        })
        assert.strictEqual(await send(bin, sessionId), "reply")
        await bin.request("set_options", { sessionId, options: { model: "b" } })
        assert.strictEqual(await send(bin, sessionId), "reply")
        assert.deepStrictEqual(
          server.chats.map(({ body }) => body.model),
          ["a", "b"]
        )
        await server.stop()
        const refused = await bin.request("list_models")
        assert.isFalse(refused.ok)
      },
      { profile: Profiles.llamaRouter([{ id: "a" }, { id: "b", loaded: true, contextTokens: 8192 }]) }
    ))

  it("that has several models says so until one of them is left", () => {
    const models = [{ id: "a" }, { id: "b" }]
    return over(
      async ({ server, bin }) => {
        await bin.request("hello", { extensions: ["llm_state"] })
        const id = await bin.session()
        const { detail, state } = (await bin.event("llm_state")).payload
        assert.deepStrictEqual(
          [state, detail],
          ["unselected", "the server has several models: set localModels.model to one of a, b"]
        )
        assert.strictEqual(await send(bin, id), "failed")
        assert.deepStrictEqual(errors(bin), [["step_error:grammar", `model is required (${detail})`]])
        models.pop()
        await bin.event("llm_state", ({ payload }) => payload.state === "ready" && payload.model === "a")
        assert.strictEqual(await send(bin, id), "reply")
        assert.strictEqual(server.chats.at(-1)?.body.model, "a")
      },
      { profile: Profiles.ollama(models) }
    )
  })

  it("that refuses what it does not know gets the rest, and the turn is none the wiser", () =>
    over(
      async ({ server, bin }) => {
        const id = await bin.session()
        for (const text of ["hi", "and now?"]) assert.strictEqual(await send(bin, id, text), "reply")
        assert.deepStrictEqual(errors(bin), [])
        assert.deepStrictEqual(
          server.chats.map(({ body }) => "return_progress" in body),
          [true, false, false]
        )
      },
      { profile: Profiles.strict(["return_progress", "cache_prompt"], "all") }
    ))

  it("that cuts prompts without a word is told of once, in the log", () =>
    over(
      async ({ bin }) => {
        const id = await bin.session()
        for (const text of ["a", "b", "c", "d"]) assert.strictEqual(await send(bin, id, text), "reply")
        const warnings = bin.frames.filter(
          (frame) => frame.kind === "event" && frame.type === "log" && frame.payload.message.includes("num_ctx")
        )
        assert.lengthOf(warnings, 1)
      },
      { profile: Profiles.ollama([{ id: "a" }], 1024) }
    ))
})
