import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type Answer, chunk, refuse, say } from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { FakeServer } from "../llama/support/FakeServer.ts"
import { Bin, StateDir } from "../support/Bin.ts"
import { fragmentsIn, textsOf } from "../support/Fragments.ts"
import { Collector } from "../support/Collector.ts"

/** With what must be written otherwise in JSON, HTML and URLs. */
const apiKey = 'sk-planted"api&key_of/mine+=='
const otelKey = "planted-otel-key"
const dotEnvSecret = "planted-in-dot-env"
const urlPassword = "planted-url-password"
const headerToken = "planted-header-token"

/** A piece of each that is enough to be recognised, however it is escaped. */
const signs = { apiKey: "sk-planted", otelKey, dotEnvSecret, urlPassword, headerToken }
type Secret = keyof typeof signs

const foundIn = (text: string): ReadonlyArray<Secret> =>
  (Object.keys(signs) as Array<Secret>).filter((secret) => text.includes(signs[secret]))

const written = (bin: Bin): string => JSON.stringify(bin.frames) + bin.noise.join() + bin.stderr

const filesOf = (dir: StateDir): ReadonlyArray<readonly [name: string, text: string]> =>
  Fs.readdirSync(dir.path)
    .filter((name) => name !== ".env" && Fs.statSync(Path.join(dir.path, name)).isFile())
    .map((name) => [name, Fs.readFileSync(Path.join(dir.path, name), "latin1")])

const page = (text: string): Answer => ({ status: 500, headers: { "Content-Type": "text/html" }, pieces: [text] })
const html = apiKey.replaceAll("&", "&amp;")

/** What a server answers that will not have the key. */
const refusals: ReadonlyArray<Answer> = [
  refuse(401, `invalid key: Bearer ${apiKey}`),
  refuse(401, "no", "auth", { detail: apiKey }),
  { status: 403, pieces: [JSON.stringify({ detail: [{ input: `Bearer ${apiKey}` }] })] },
  page(`<html><body>Not allowed: ${html}, nor ${encodeURIComponent(apiKey)}</body></html>`),
  // Cut in the middle of the key.
  page(`${"x".repeat(290)} ${apiKey}`),
  { pieces: [chunk({ content: "So " }), { error: { code: 500, message: `it was ${apiKey}` } }] },
  { pieces: [JSON.stringify({ not: "a chat", key: apiKey })] }
]

/**
 * Prints the environment of the sidecar. A command that names that file is blocked; what the output of `base64` is, nobody
 * knows before it runs, so this one asks.
 */
const environment = "tr '\\0' '\\n' < /proc/$PPID/$(echo ZW52aXJvbg== | base64 -d)"

/** What a model asks for, each with an approval, and goes wrong with. */
const calls = [
  { name: "shell.run", arguments: { command: "env; exit 3" } },
  {
    name: "shell.run",
    arguments: { command: environment }
  },
  { name: "http.request", arguments: { url: `http://me:${urlPassword}@127.0.0.1:1/` } },
  {
    name: "http.request",
    arguments: { url: "http://127.0.0.1:1/", headers: { Authorization: `Bearer ${headerToken}` } }
  },
  {
    name: "http.request",
    arguments: { url: "http://127.0.0.1:1/", headers: { Authorization: `Bearer\n${headerToken}` } }
  },
  { name: `${headerToken}.tool`, arguments: {} },
  { name: "fs.edit", arguments: { path: "work/.env", oldText: "LEVEL=info", newText: "LEVEL=debug" } },
  { name: "fs.write", arguments: { path: "work/.env", content: "" } }
]

describe("secrets, over the real bin", () => {
  it("are in nothing that is written, stored or sent, whatever fails", async () => {
    await using collector = await Collector.start()
    const refusing = refuse(401, `invalid key: Bearer ${apiKey}`)
    const server = await LlamaServer.start({
      pages: { "/health": refusing, "/props": refusing, "/v1/models": refusing },
      answer: (_, index) =>
        refusals[index] ?? (index === refusals.length ? say({ toolCalls: calls }) : say({ text: "Done." }))
    })
    try {
      using dir = new StateDir({
        localModels: { url: server.url },
        log: { level: "debug" },
        http: { hostAllowlist: ["127.0.0.1"] }
      })
      Fs.writeFileSync(Path.join(dir.path, ".env"), `OTHER=${dotEnvSecret}\nATOMIC_AGENT_LLAMA_SEED=7\n`)
      Fs.mkdirSync(Path.join(dir.path, "work"))
      Fs.writeFileSync(Path.join(dir.path, "work/.env"), `KEY=${apiKey}\nAUTH=Bearer ${otelKey}\nLEVEL=info\n`)
      using bin = new Bin(dir, {
        env: {
          ATOMIC_AGENT_LLAMA_API_KEY: apiKey,
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${otelKey}`
        }
      })
      await bin.request("hello", {
        extensions: ["llm_progress", "llm_state", "approval_resolved", "queue", "sessions"]
      })
      const sessionId = await bin.session(dir.path)
      for (const _ of refusals) {
        const response = await bin.request("send_message", { sessionId, text: "hi" })
        assert.deepInclude(response.ok && response.payload, { reason: "failed" })
      }

      const turn = bin.request("send_message", { sessionId, text: "Do it." })
      const answered = new Set<string>()
      for (const asked of ["shell.run", "shell.run", "http.request", "fs.edit", "fs.write"]) {
        const { payload } = await bin.event(
          "approval_request",
          ({ payload: { approvalId, tool } }) => tool === asked && !answered.has(approvalId)
        )
        answered.add(payload.approvalId)
        if (asked.startsWith("fs.")) assert.match(payload.preview ?? "", /[ -]KEY=<secret>\n[ -]AUTH=<secret>\n-LEVEL/)
        await bin.request("approval_response", { approvalId: payload.approvalId, approved: true })
      }
      assert.isTrue((await turn).ok)
      for (const type of ["ping", "list_sessions", "skill_list"]) assert.isTrue((await bin.request(type)).ok)
      await bin.request("send_message", { sessionId: "none", text: "hi" })
      await bin.end()

      const results = bin.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "tool_call_result" ? [frame] : []
      )
      assert.include(results[0]?.payload.summary, "OTEL_EXPORTER_OTLP_ENDPOINT=")
      if (process.platform === "linux") {
        assert.include(results[1]?.payload.summary, "ATOMIC_AGENT_LLAMA_API_KEY=<secret>")
        assert.include(results[1]?.payload.summary, "OTEL_EXPORTER_OTLP_HEADERS=authorization=<secret>")
      }
      // What the model itself has written is shown as it is: to the host, to the person who is asked, and to the model.
      const unknown = results.filter(({ payload }) => payload.tool.startsWith(headerToken))
      const ofModel = bin.frames.filter(
        (frame) => frame.kind === "event" && ["tool_call_started", "approval_request"].includes(frame.type)
      )
      const others = bin.frames.filter((frame) => ![...ofModel, ...unknown].includes(frame))
      assert.lengthOf(unknown, 1)
      for (const frame of others) assert.deepStrictEqual(foundIn(JSON.stringify(frame)), [], JSON.stringify(frame))
      assert.deepStrictEqual([bin.noise, bin.stderr], [[], ""])
      assert.deepStrictEqual(foundIn(written(bin)).toSorted(), ["headerToken", "urlPassword"])

      for (const [name, text] of filesOf(dir)) {
        const stored = foundIn(text).filter((secret) => secret !== "headerToken" && secret !== "urlPassword")
        assert.deepStrictEqual(stored, [], name)
      }
      assert.isAbove(collector.requests.length, 1)
      for (const { headers, text } of collector.requests) {
        assert.strictEqual(headers.authorization, `Bearer ${otelKey}`)
        assert.deepStrictEqual(foundIn(text), [])
      }
      assert.strictEqual(server.chats[0]?.headers.authorization, `Bearer ${apiKey}`)
    } finally {
      await server.stop()
    }
  })

  it("are in no frame in pieces either, whatever a tool does with the environment and with .env", async () => {
    const key = 'sk-9fJ2kLm"No4\\&MNo<PqRsT9+/=='
    const token = "otel.4Xy8ZaB1cD6eF0gH"
    const commands = [
      "cat .env",
      "cut -c1-44 .env; cut -c45-80 .env",
      "fold -w 9 .env",
      "fold -w 3 .env >&2; exit 3",
      "cp .env copy.txt; cut -c 30- copy.txt",
      "sed 's/./&\\n/12' .env",
      `printf '\\033[1m%s\\033[0m' "$(cut -c 30-45 .env)"`,
      `head -c 100000 /dev/zero | tr '\\0' x; cat .env; head -c 100000 /dev/zero | tr '\\0' x`,
      `${environment}`,
      `${environment} | grep KEY | cut -c29-40`,
      `${environment} | grep HEADERS | fold -w 8`,
      `${environment} | grep -o 'Bearer.*' | cut -c 14-`,
      `${environment} | cat -A >&2`,
      `touch "$(cut -c 28-40 .env | tr -d '"')"; ls`
    ]
    const calls = [
      ...commands.map((command) => ({ name: "shell.run", arguments: { command } })),
      { name: "fs.read", arguments: { path: ".env" } },
      { name: "fs.read", arguments: { path: "copy.txt" } },
      { name: "fs.read", arguments: { path: "/proc/self/environ" } },
      { name: "fs.grep", arguments: { path: ".env", pattern: ".{9}$" } },
      { name: "fs.grep", arguments: { pattern: "KEY" } },
      { name: "fs.list", arguments: { path: "." } },
      { name: "fs.edit", arguments: { path: "copy.txt", oldText: "not there", newText: "" } }
    ]
    const server = await LlamaServer.start({
      answer: (_, index) => (index < calls.length ? say({ toolCalls: [calls[index]!] }) : say({ text: "Done." }))
    })
    try {
      using dir = new StateDir({
        localModels: { url: server.url },
        log: { level: "debug" },
        agent: { approvalLevel: 5, maxSteps: 40 }
      })
      Fs.writeFileSync(Path.join(dir.path, ".env"), `ATOMIC_AGENT_LLAMA_API_KEY='${key}'\n`)
      using bin = new Bin(dir, {
        env: { ATOMIC_AGENT_LLAMA_API_KEY: key, OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${token}` }
      })
      const sessionId = await bin.session(dir.path)
      assert.isTrue((await bin.request("send_message", { sessionId, text: "Do it." })).ok)
      await bin.request("get_session", { sessionId })
      await bin.end()
      const results = bin.frames.filter((frame) => frame.kind === "event" && frame.type === "tool_call_result")
      assert.lengthOf(results, calls.length)
      assert.isAbove(results.filter((frame) => JSON.stringify(frame).includes("<secret>")).length, 10)
      // What the model is sent too.
      for (const each of [...bin.frames, ...server.chats.map(({ body }) => body), bin.noise, bin.stderr]) {
        for (const text of textsOf(each)) {
          assert.deepStrictEqual([...fragmentsIn(text, key), ...fragmentsIn(text, token)], [], text)
        }
      }
    } finally {
      await server.stop()
    }
  })

  it("are in no argument and no variable of a managed server, and what it writes of them is not told", async () => {
    const writes = `key: ${apiKey}\n${"x".repeat(985)} ${apiKey}\n`
    using server = await FakeServer.make({ writes })
    using dir = new StateDir({ localModels: { mode: "managed", managed: server.managed }, log: { level: "debug" } })
    Fs.writeFileSync(
      Path.join(dir.path, ".env"),
      `OTHER=${dotEnvSecret}\nATOMIC_AGENT_LLAMA_API_KEY='${apiKey}'\nOTEL_EXPORTER_OTLP_HEADERS=a=${otelKey}\n`
    )
    using bin = new Bin(dir, { env: { OTEL_EXPORTER_OTLP_TRACES_HEADERS: `a=${otelKey}` } })
    const sessionId = await bin.session(dir.path)
    assert.isTrue((await bin.request("send_message", { sessionId, text: "hi" })).ok)
    const told = await bin.event("log", ({ payload }) => payload.message.endsWith("…"))
    assert.match(told.payload.message, /x <api key>…$/)
    const { args, pid, secrets } = await server.until("Started")
    assert.deepStrictEqual([secrets, foundIn(args.join())], [[], []])
    if (process.platform === "linux") {
      for (const of of ["cmdline", "environ"]) {
        const text = Fs.readFileSync(`/proc/${pid}/${of}`, "utf8")
        assert.isNotEmpty(text)
        assert.deepStrictEqual(foundIn(text), [], of)
      }
    }
    server.kill()
    await bin.event("log", ({ payload }) => payload.level === "warn")
    await bin.end()
    assert.deepStrictEqual(foundIn(written(bin)), [])
    for (const [name, text] of filesOf(dir)) assert.deepStrictEqual(foundIn(text), [], name)
  })

  it.each([
    ["a key that fits no header", { ATOMIC_AGENT_LLAMA_API_KEY: `sk-planted secret` }, "", {}],
    ["the same in .env", {}, `ATOMIC_AGENT_LLAMA_API_KEY=sk-planted secret`, {}],
    ["a line of .env that is none", {}, `A=b\n${dotEnvSecret}`, {}],
    ["a wrong number in .env", {}, `ATOMIC_AGENT_LLAMA_SEED=${dotEnvSecret}`, {}],
    ["a password in a URL", { ATOMIC_AGENT_LLAMA_URL: `http://me:${urlPassword}@h` }, "", {}],
    ["a password in a URL that is none", { ATOMIC_AGENT_LLAMA_URL: `me:${urlPassword}@h` }, "", {}],
    ["a password in config.json", {}, "", { localModels: { url: `http://me:${urlPassword}@h` } }],
    ["a collector's password", { OTEL_EXPORTER_OTLP_ENDPOINT: `http://me:${urlPassword}@h` }, "", {}],
    ["headers that are none", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://h", OTEL_EXPORTER_OTLP_HEADERS: otelKey }, "", {}],
    ["attributes that are none", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://h", OTEL_RESOURCE_ATTRIBUTES: otelKey }, "", {}]
  ])("are not told by what refuses them: %s", async (_, env, dotEnv, config) => {
    using dir = new StateDir(config)
    Fs.writeFileSync(Path.join(dir.path, ".env"), dotEnv)
    using bin = new Bin(dir, { env })
    const { payload } = await bin.event("error")
    assert.strictEqual(payload.code, "config_invalid")
    assert.deepStrictEqual(await bin.exited, { code: 78, signal: null })
    assert.deepStrictEqual(foundIn(written(bin)), [])
  })
})
