import { spawnSync } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setInterval } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, shellCommand, StateDir } from "../support/Bin.ts"

const ping = (id: string) => `{"kind":"request","id":"${id}","type":"ping","payload":{}}\n`
const scripted = { localModels: { mode: "scripted" } }
const words = "日本語 👩‍👩‍👧‍👦 \u2028 العربية é 🚀 "

describe("the bin: framing", () => {
  it("answers a request that comes one byte at a time", async () => {
    using dir = new StateDir(scripted)
    using bin = new Bin(dir)
    bin.requests.push({ id: "é👩‍👩‍👧", type: "ping" })
    for (const byte of Buffer.from(ping("é👩‍👩‍👧"))) bin.write(Uint8Array.of(byte))
    assert.isTrue((await bin.response("é👩‍👩‍👧")).ok)
    await bin.end()
  })

  it("answers 20,000 pings in one write, in order", async () => {
    using dir = new StateDir(scripted)
    using bin = new Bin(dir)
    const ids = Array.from({ length: 20_000 }, (_, index) => `p${index}`)
    bin.requests.push(...ids.map((id) => ({ id, type: "ping" })))
    bin.write(ids.map(ping).join(""))
    await bin.response("p19999")
    assert.deepStrictEqual(
      bin.frames.map((frame) => (frame.kind === "response" ? frame.correlationId : frame.type)),
      ids
    )
    await bin.end()
  })

  it("answers whatever is no request, and memory stays bounded over 40 MiB and 200 MiB lines", async () => {
    using dir = new StateDir(scripted)
    using bin = new Bin(dir)
    await bin.request("ping")
    const before = bin.residentMiB
    const mebibyte = Buffer.alloc(1024 * 1024, "x")
    const flood = async (count: number) => {
      for (let index = 0; index < count; index++) {
        if (!bin.child.stdin.write(mebibyte)) await once(bin.child.stdin, "drain")
      }
    }
    for (const line of ["null\n", "[]\n", "{oops\n"]) bin.write(line)
    bin.write(Uint8Array.of(0xff, 0xfe, 10))
    await flood(40)
    bin.write("\n")
    await flood(200)
    bin.write("\n")
    assert.isTrue((await bin.request("ping")).ok)
    const errors = bin.frames.flatMap((frame) =>
      frame.kind === "event" && frame.type === "error" ? [frame.payload] : []
    )
    assert.deepStrictEqual(
      errors.map((error) => error.code),
      ["invalid_frame", "invalid_frame", "parse_error", "parse_error", "parse_error", "parse_error"]
    )
    assert.include(errors[4]?.message, String(40 * 1024 * 1024))
    assert.include(errors[5]?.message, String(200 * 1024 * 1024))
    assert.isBelow(bin.residentMiB - before, 120)
    await bin.end()
  })
})

describe("the bin: a conversation with a model server", () => {
  it("runs the lifecycle of the specification, the deltas equal to the reply byte for byte", async () => {
    const server = await LlamaServer.start({ contextTokens: 8192 })
    try {
      const text = words.repeat(20)
      server.answer(LlamaAnswers.say({ reasoning: "thinking about it", text }, { chunkBytes: 7 }))
      using dir = new StateDir({ localModels: { url: `${server.url}/v1/` } })
      using bin = new Bin(dir)
      const pong = await bin.request("ping")
      assert.deepInclude(pong.payload, { ok: true, llamaUrl: server.url, version: "0.1.0", stateDir: dir.path })
      const sessionId = await bin.session()
      const response = await bin.request("send_message", { sessionId, text: words })
      assert.deepStrictEqual(response.payload, { reason: "reply", turnCount: 1, stepCount: 1 })
      const deltas = bin.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "assistant_delta" ? [frame.payload.text] : []
      )
      assert.strictEqual(deltas.join(""), text)
      assert.strictEqual((await bin.event("assistant_reply")).payload.text, text)
      assert.strictEqual(server.chats[0]?.body.messages.at(-1).content, words)
      assert.deepStrictEqual((await bin.request("shutdown")).payload, { ok: true })
      await bin.end()
    } finally {
      await server.stop()
    }
  })

  it("says that nobody answers, starts all the same, and fails the turn", async () => {
    using dir = new StateDir({ localModels: { url: "http://127.0.0.1:9" } })
    using bin = new Bin(dir)
    const sessionId = await bin.session()
    const unavailable = (await bin.event("llm_unavailable")).payload
    assert.include(unavailable.hint, "ATOMIC_AGENT_LLAMA_URL")
    assert.include(unavailable.hint, "localModels.url")
    const response = await bin.request("send_message", { sessionId, text: "hi" })
    assert.deepInclude(response.payload, { reason: "failed" })
    assert.strictEqual((await bin.event("error")).payload.code, "step_error:transport")
    await bin.end()
  })

  it("keeps all text for a host that stops reading in the middle of 100,000 deltas, in bounded memory", async () => {
    const server = await LlamaServer.start()
    try {
      const tokens = Array.from({ length: 100_000 }, (_, index) => `${index} `)
      server.answer(LlamaAnswers.say({ tokens }))
      using dir = new StateDir({ localModels: { url: server.url } })
      using bin = new Bin(dir)
      const sessionId = await bin.session()
      const before = bin.residentMiB
      const id = bin.post("send_message", { sessionId, text: "go" })
      await bin.event("assistant_delta")
      bin.child.stdout.pause()
      let most = 0
      // Five seconds of a real pipe that nobody reads, its writer's memory sampled all the while.
      let samples = 0
      for await (const _ of setInterval(100)) {
        most = Math.max(most, bin.residentMiB)
        if (++samples === 50) break
      }
      bin.child.stdout.resume()
      assert.deepInclude((await bin.response(id)).payload, { reason: "reply" })
      const deltas = bin.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "assistant_delta" ? [frame.payload.text] : []
      )
      assert.isTrue(deltas.join("") === tokens.join(""), "the text of all deltas, in order")
      assert.isBelow(most - before, 100)
      await bin.end()
    } finally {
      await server.stop()
    }
  })

  it("closes the model's connection when the turn is cancelled in prefill", async () => {
    const server = await LlamaServer.start()
    try {
      server.answer({ pieces: [], ending: "hang" })
      using dir = new StateDir({ localModels: { url: server.url } })
      using bin = new Bin(dir)
      const sessionId = await bin.session()
      const id = bin.post("send_message", { sessionId, text: "go" })
      await server.received(1)
      assert.deepStrictEqual((await bin.request("cancel", { sessionId })).payload, { cancelled: true, turns: 1 })
      await server.dropped(1)
      assert.deepInclude((await bin.response(id)).payload, { reason: "cancelled" })
      server.answer(LlamaAnswers.say({ text: "here again" }))
      assert.deepInclude((await bin.request("send_message", { sessionId, text: "again" })).payload, { reason: "reply" })
      await bin.end()
    } finally {
      await server.stop()
    }
  })
})

describe("the bin: life and death", () => {
  const playing = async (bin: Bin) => {
    const sessionId = await bin.session()
    const id = bin.post("send_message", { sessionId, text: "go" })
    await bin.event("turn_started")
    return { sessionId, id }
  }
  const hanging = async () => {
    const server = await LlamaServer.start({ answer: { pieces: [], ending: "hang" } })
    return { server, dir: new StateDir({ localModels: { url: server.url } }) }
  }

  it.each(["SIGTERM", "SIGINT", "end of input"] as const)(
    "ends the turn, answers it and exits 0 on %s",
    async (way) => {
      const { dir, server } = await hanging()
      using _ = dir
      using bin = new Bin(dir)
      const { id } = await playing(bin)
      if (way === "end of input") bin.child.stdin.end()
      else bin.child.kill(way)
      assert.deepStrictEqual(await bin.exited, { code: 0, signal: null })
      const response = bin.frames.find((frame) => frame.kind === "response" && frame.correlationId === id)
      assert.deepInclude(response?.payload, { reason: "cancelled" })
      assert.strictEqual(bin.stderr, "")
      await server.stop()
    }
  )

  it("writes all that waits for a slow reader before it exits", async () => {
    using dir = new StateDir(scripted)
    using bin = new Bin(dir)
    await bin.request("ping")
    // One read a turn of the event loop.
    bin.child.stdout.on("data", () => {
      bin.child.stdout.pause()
      setImmediate(() => bin.child.stdout.resume())
    })
    const count = 15_000
    bin.write(Array.from({ length: count }, (_, index) => ping(`q${index}`)).join(""))
    bin.post("shutdown")
    assert.strictEqual((await bin.exited).code, 0)
    assert.strictEqual(bin.frames.length, count + 2)
    assert.deepInclude(bin.frames.at(-1)?.payload, { ok: true })
  })

  it("exits within three seconds though the host reads nothing", async () => {
    using dir = new StateDir(scripted)
    using bin = new Bin(dir)
    await bin.request("ping")
    bin.child.stdout.pause()
    bin.write(Array.from({ length: 20_000 }, (_, index) => ping(`q${index}`)).join(""))
    bin.child.stdin.end()
    const [code] = await once(bin.child, "exit")
    assert.strictEqual(code, 0)
  })

  it("exits 0 when stdout breaks, and does not spin", async () => {
    const { dir, server } = await hanging()
    using _ = dir
    using bin = new Bin(dir)
    await playing(bin)
    bin.child.stdout.destroy()
    bin.post("ping")
    const [code] = await once(bin.child, "exit")
    assert.strictEqual(code, 0)
    await server.stop()
  })

  it("does not need anyone to read stderr, or stderr at all", async () => {
    using dir = new StateDir(scripted)
    using bin = new Bin(dir)
    bin.child.stderr.destroy()
    const { id } = await playing(bin)
    assert.deepInclude((await bin.response(id)).payload, { reason: "reply" })
    bin.child.stdin.end()
    assert.strictEqual((await bin.exited).code, 0)
  })

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "still exits 0 where %s comes, again and again, once shutdown is answered",
    async (signal) => {
      using dir = new StateDir(scripted)
      using bin = new Bin(dir)
      await bin.session()
      let isGone = false
      void bin.exited.then(() => (isGone = true))
      await bin.request("shutdown")
      // At every moment of its way out, until there is nobody to hear it.
      for await (const _ of setInterval(1)) {
        if (isGone) break
        bin.child.kill(signal)
      }
      assert.deepStrictEqual(await bin.exited, { code: 0, signal: null })
    }
  )

  it("goes with its parent, though a wrapper stands between and its input stays open", async () => {
    const { dir, server } = await hanging()
    using _ = dir
    // A named pipe that we hold open ourselves: the sidecar sees no end of its input when the wrapper dies.
    const fifo = Path.join(dir.path, "fifo")
    spawnSync("mkfifo", [fifo])
    const input = Fs.openSync(fifo, Fs.constants.O_RDWR)
    using bin = new Bin(dir, {
      command: ["sh", "-c", `${shellCommand} <'${fifo}' & wait`]
    })
    bin.write = (text) => void Fs.writeSync(input, text as string)
    await playing(bin)
    bin.child.kill("SIGKILL")
    // The pipe ends when the last holder of its other end is gone: the sidecar itself.
    await once(bin.child.stdout, "end")
    assert.deepInclude(bin.frames.at(-1)?.payload, { reason: "cancelled" }, JSON.stringify(bin.frames.slice(-5)))
    Fs.closeSync(input)
    await server.stop()
  })

  it("keeps what was committed through a kill -9 in the middle of a turn", async () => {
    const server = await LlamaServer.start()
    let first = true
    server.answer(() => {
      if (!first) return { pieces: [], ending: "hang" }
      first = false
      return LlamaAnswers.say({ text: "Looking.", toolCalls: [{ name: "fs_list", arguments: { path: "src" } }] })
    })
    using dir = new StateDir({ localModels: { url: server.url } })
    let id = ""
    {
      using bin = new Bin(dir)
      const { sessionId } = await playing(bin)
      id = sessionId
      await server.received(2)
      bin.child.kill("SIGKILL")
      await bin.exited
    }
    const database = new DatabaseSync(Path.join(dir.path, "sidecar.sqlite"))
    assert.deepStrictEqual({ ...database.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" })
    database.close()
    using bin = new Bin(dir)
    await bin.session()
    const state = (await bin.request("get_session", { sessionId: id })).payload as {
      stepCount: number
      status: string
      lastError: string
      turns: ReadonlyArray<{ kind: string }>
    }
    assert.deepInclude(state, { status: "cancelled", stepCount: 2 })
    assert.match(state.lastError, /interrupted/)
    assert.deepStrictEqual(
      state.turns.map((record) => record.kind),
      ["user", "assistant_reply", "assistant_tool_call", "tool_result"]
    )
    await bin.end()
    await server.stop()
  })

  it.each<readonly [string, object | string, NodeJS.ProcessEnv, RegExp]>([
    ["a wrong type", { agent: { maxSteps: "many" } }, {}, /config\.json.*agent\.maxSteps/],
    ["no JSON", "{", {}, /config\.json/],
    ["a bad variable", {}, { ATOMIC_AGENT_LLAMA_SEED: "soon" }, /ATOMIC_AGENT_LLAMA_SEED/]
  ])("tells of %s in one frame and exits 78", async (_name, config, env, message) => {
    using dir = new StateDir()
    Fs.writeFileSync(Path.join(dir.path, "config.json"), typeof config === "string" ? config : JSON.stringify(config))
    using bin = new Bin(dir, { env })
    assert.strictEqual((await bin.exited).code, 78)
    assert.lengthOf(bin.frames, 1)
    const payload = bin.frames[0]?.payload as { code: string; message: string }
    assert.strictEqual(payload.code, "config_invalid")
    assert.match(payload.message, message)
  })

  it("answers where the state directory cannot be made, and keeps its sessions in memory", async () => {
    using dir = new StateDir()
    using bin = new Bin(dir, {
      env: { ATOMIC_AGENT_STATE_DIR: "/proc/nowhere/at/all", ATOMIC_AGENT_LLAMA_URL: "http://127.0.0.1:9" }
    })
    assert.isTrue((await bin.request("ping")).ok)
    await bin.session()
    assert.match((await bin.event("log")).payload.message, /memory/)
    await bin.end()
  })

  it("names the key of a script that is not there", async () => {
    using dir = new StateDir({ localModels: { mode: "scripted", script: "/no/such/script.json" } })
    using bin = new Bin(dir)
    bin.post("start_session", { workingDir: "." })
    assert.strictEqual((await bin.exited).code, 78)
    const [message = ""] = bin.frames.flatMap((frame) =>
      frame.kind === "event" && frame.type === "error" ? [frame.payload.message] : []
    )
    assert.match(message, /^\/no\/such\/script\.json: .*localModels\.script/)
  })

  it("exits 78 with one frame where the database is of a newer version, and leaves it alone", async () => {
    using dir = new StateDir(scripted)
    {
      using bin = new Bin(dir)
      await bin.session()
      await bin.end()
    }
    const path = Path.join(dir.path, "sidecar.sqlite")
    const database = new DatabaseSync(path)
    database.exec("PRAGMA user_version = 999")
    database.close()
    using bin = new Bin(dir)
    // In one write: what waits for the sessions to be built is answered too, though they cannot be.
    const frame = (id: string, type: string, payload: object) =>
      JSON.stringify({ kind: "request", id, type, payload }) + "\n"
    bin.write(
      frame("a", "start_session", { workingDir: "." }) +
        frame("b", "get_session", { sessionId: "s-1" }) +
        frame("c", "ping", {}) +
        Array.from({ length: 10 }, (_, index) => frame(`d${index}`, "skill_list", {})).join("")
    )
    assert.strictEqual((await bin.exited).code, 78)
    const answered = bin.frames.flatMap((each) => (each.kind === "response" ? [each.correlationId] : []))
    const asked = ["a", "b", "c", ...Array.from({ length: 10 }, (_, index) => `d${index}`)]
    assert.deepStrictEqual(answered.toSorted(), asked.toSorted())
    const errors = bin.frames.filter((frame) => frame.kind === "event" && frame.type === "error") as Array<any>
    assert.include(
      errors.map((frame) => frame.payload.code),
      "config_invalid"
    )
    assert.isTrue(Fs.existsSync(path))
  })

  it("builds nothing for a host that asks before there is a session", async () => {
    using dir = new StateDir(scripted)
    using bin = new Bin(dir)
    const payloadOf = async (type: string, payload: object) => (await bin.request(type, payload)).payload
    const sessionId = "s-1"
    assert.isNull(await payloadOf("get_session", { sessionId }))
    assert.deepStrictEqual(await payloadOf("skill_list", {}), { skills: [] })
    assert.deepStrictEqual(await payloadOf("cancel", { sessionId }), { cancelled: false, turns: 0 })
    assert.deepStrictEqual(await payloadOf("steer_message", { sessionId, text: "x" }), { steered: false })
    assert.deepStrictEqual(await payloadOf("approval_response", { approvalId: "a", approved: true }), {
      resolved: false
    })
    const refused = [
      await bin.request("send_message", { sessionId, text: "x" }),
      await bin.request("skill_uninstall", { name: "xx" })
    ]
    assert.deepStrictEqual(
      refused.map((response) => (response.ok ? undefined : response.error.message)),
      ["no active session with id s-1", "skill_uninstall needs a session: send start_session first"]
    )
    assert.isFalse(Fs.existsSync(Path.join(dir.path, "sidecar.sqlite")))
    await bin.session()
    assert.isTrue(Fs.existsSync(Path.join(dir.path, "sidecar.sqlite")))
    await bin.end()
  })
})
