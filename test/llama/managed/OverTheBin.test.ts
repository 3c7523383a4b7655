import { assert, describe, it } from "@effect/vitest"
import { Bin, StateDir } from "../../support/Bin.ts"
import { FakeServer, type Play } from "../support/FakeServer.ts"

/** The real bin with a managed server of its own. */
const over = async (
  play: Play,
  scene: (bin: Bin, server: FakeServer) => Promise<void>,
  config: { readonly log?: object; readonly managed?: object } = {}
): Promise<void> => {
  using server = await FakeServer.make(play)
  const managed = { ...server.managed, ...config.managed }
  using dir = new StateDir({ localModels: { mode: "managed", managed }, log: config.log ?? {} })
  using bin = new Bin(dir)
  await scene(bin, server)
}

const send = async (bin: Bin, sessionId: string, text = "hi"): Promise<string> => {
  const response = await bin.request("send_message", { sessionId, text })
  return (response.payload as { reason: string }).reason
}

const typesOf = (bin: Bin) => bin.frames.map((frame) => (frame.kind === "event" ? frame.type : "response"))

describe.concurrent("over the real bin, a managed server", () => {
  it("is not started before a session is, and is gone with the sidecar", () =>
    over({}, async (bin, server) => {
      const pong = await bin.request("ping")
      assert.deepInclude(pong.payload, { llamaUrl: `http://127.0.0.1:${server.port}` })
      assert.deepStrictEqual(server.notes, [])
      const id = await bin.session()
      assert.strictEqual(await send(bin, id), "reply")
      await bin.session()
      await bin.end()
      assert.isFalse(await server.accepts())
      assert.lengthOf(server.noted("Started"), 1)
      assert.deepStrictEqual(
        server.noted("Heard").map(({ signal }) => signal),
        ["SIGTERM"]
      )
    }))

  it("does not hold up the session while it loads, and is waited for by the message", () =>
    over({ isGated: true }, async (bin, server) => {
      const id = await bin.session()
      assert.notInclude(typesOf(bin), "llm_unavailable")
      const turn = send(bin, id)
      await bin.event("step_started")
      server.load()
      assert.strictEqual(await turn, "reply")
      await bin.end()
    }))

  it("hears TERM after its streams have been closed", () =>
    over({}, async (bin, server) => {
      const id = await bin.session()
      const turn = bin.post("send_message", { sessionId: id, text: "hang" })
      await bin.event("assistant_delta")
      await bin.end()
      assert.deepInclude((await bin.response(turn)).payload, { reason: "cancelled" })
      assert.deepStrictEqual(
        server.notes.map(({ _tag }) => _tag),
        ["Started", "Asked", "Left", "Heard"]
      )
    }))

  it("that is deaf is killed before a shutdown is answered, and in time", () =>
    over({ isDeaf: true }, async (bin, server) => {
      const id = await bin.session()
      assert.strictEqual(await send(bin, id), "reply")
      assert.deepStrictEqual((await bin.request("shutdown")).payload, { ok: true })
      assert.isFalse(await server.accepts())
      await bin.end()
      assert.isNotEmpty(server.noted("Heard"))
    }))

  it.each([{}, { isDeaf: true }])("does not survive a sidecar that is killed (%j)", (play) =>
    over(play, async (bin, server) => {
      const id = await bin.session()
      bin.post("send_message", { sessionId: id, text: "hang" })
      await bin.event("assistant_delta")
      bin.child.kill("SIGKILL")
      await bin.exited
      await server.gone()
    })
  )

  it("that dies is started again for the next message", () =>
    over({}, async (bin, server) => {
      const id = await bin.session()
      assert.strictEqual(await send(bin, id), "reply")
      assert.strictEqual(await send(bin, id, "begin and die"), "failed")
      const { payload } = await bin.event("error")
      assert.strictEqual(payload.code, "step_error:transport")
      assert.include(payload.message, "llama-server was ended by SIGKILL")
      assert.strictEqual(await send(bin, id, "and now?"), "reply")
      assert.lengthOf(server.noted("Started"), 2)
      await bin.end()
    }))

  it("that never starts is told of once, with its last words, and turns fail with them until it does", () =>
    over({ failures: 5, writes: "error: cannot open tiny.gguf\n" }, async (bin, server) => {
      const id = await bin.session()
      const { payload } = await bin.event("llm_unavailable")
      const words = "llama-server ended with exit code 1; its last words:\nerror: cannot open tiny.gguf"
      assert.deepInclude(payload, { url: `http://127.0.0.1:${server.port}`, mode: "managed", error: words })
      assert.include(payload.hint, "localModels.managed")
      assert.lengthOf(server.noted("Started"), 4)
      assert.strictEqual(await send(bin, id), "failed")
      const error = (await bin.event("error")).payload
      assert.deepInclude(error, { code: "step_error:transport", message: words })
      assert.strictEqual(await send(bin, id), "reply")
      assert.lengthOf(server.noted("Started"), 6)
      await bin.end()
    }))

  it("that is not installed is told of before the session is started", () =>
    over(
      {},
      async (bin) => {
        const id = await bin.session()
        const { payload } = await bin.event("llm_unavailable")
        assert.include(payload.error, "there is no program no-such-llama-server on the PATH (")
        assert.include(payload.hint, "localModels.managed.command")
        const types = typesOf(bin)
        assert.isBelow(types.indexOf("llm_unavailable"), types.indexOf("session_started"))
        assert.strictEqual(await send(bin, id), "failed")
        await bin.end()
      },
      { managed: { command: "no-such-llama-server" } }
    ))

  it("writes into log events, where they are wanted", () =>
    over(
      { writes: "load_model: loading\n" },
      async (bin) => {
        await bin.session()
        const { payload } = await bin.event("log", (frame) => frame.payload.context?.source === "llama-server")
        assert.deepInclude(payload, { level: "debug", message: "load_model: loading" })
        await bin.end()
      },
      { log: { level: "debug" } }
    ))
})
