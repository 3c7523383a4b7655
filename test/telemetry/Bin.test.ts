import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { refuse, say } from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../support/Bin.ts"
import { Collector, type CollectedSpan } from "../support/Collector.ts"

/** One tool call that a person is asked about, then an answer. */
const conversation = (_: unknown, index: number) =>
  index === 0
    ? say({ toolCalls: [{ name: "shell.run", arguments: { command: "touch x && echo said" } }] })
    : say({ text: "Done.", usage: { prompt: 100, cached: 60, completion: 2 } })

/** Sends a message, allows what is asked, and waits for the end of the turn. */
const turn = async (bin: Bin, workingDir: string): Promise<void> => {
  const sessionId = await bin.session(workingDir)
  const sent = bin.request("send_message", { sessionId, text: "Do it." })
  const { approvalId } = (await bin.event("approval_request")).payload
  await bin.request("approval_response", { approvalId, approved: true })
  assert.isTrue((await sent).ok)
}

const one = (spans: ReadonlyArray<CollectedSpan>, name: string, parent?: CollectedSpan): CollectedSpan => {
  const found = spans.filter((span) => span.name === name && (parent === undefined || span.parent === parent.id))
  assert.lengthOf(found, 1, `${name} in ${spans.map((span) => span.name).join(", ")}`)
  return found[0]!
}

/** Writes down, before the program begins, every connection that it opens. */
const watchConnections = (file: string) => [
  "--import",
  `data:text/javascript,${encodeURIComponent(`
    import { appendFileSync } from "node:fs"
    import { Socket } from "node:net"
    const { connect } = Socket.prototype
    Socket.prototype.connect = function (...args) {
      appendFileSync(${JSON.stringify(file)}, JSON.stringify(args) + "\\n")
      return connect.apply(this, args)
    }`)}`
]

describe.concurrent("telemetry, over the real bin", () => {
  it("sends the spans of a turn with a tool and an approval, each within its parent, and its figures", async () => {
    await using collector = await Collector.start()
    const server = await LlamaServer.start({ answer: conversation, contextTokens: 8192 })
    try {
      using dir = new StateDir({ localModels: { url: server.url } })
      using bin = new Bin(dir, {
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
          OTEL_EXPORTER_OTLP_HEADERS: "x-key=of%20mine",
          OTEL_SERVICE_NAME: "desk",
          OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test"
        }
      })
      await turn(bin, dir.path)
      await bin.end()

      const { spans } = collector
      assert.lengthOf(spans, 7)
      const root = one(spans, "invoke_agent atomic-agent")
      const steps = spans.filter(({ name, parent }) => name === "step" && parent === root.id)
      assert.lengthOf(steps, 2)
      const [first, second] = steps.toSorted((a, b) => Number(a.start - b.start)) as [CollectedSpan, CollectedSpan]
      const asking = one(spans, "chat standin", first)
      const tool = one(spans, "execute_tool shell.run", first)
      const approval = one(spans, "approval", tool)
      const answering = one(spans, "chat standin", second)

      assert.isUndefined(root.parent)
      assert.lengthOf([...new Set(spans.map(({ traceId }) => traceId))], 1)
      for (const span of spans) {
        assert.isTrue(span.end > span.start, span.name)
        assert.strictEqual(span.status, 1, span.name)
        const parent = spans.find(({ id }) => id === span.parent) ?? span
        assert.isTrue(span.start >= parent.start && span.end <= parent.end, `${span.name} within ${parent.name}`)
      }
      assert.isTrue(asking.end <= tool.start && first.end <= second.start)
      assert.deepInclude(root.attributes, { "atomic_agent.turn.reason": "reply", "atomic_agent.turn.steps": 2 })
      assert.deepInclude(asking.attributes, {
        "gen_ai.request.model": "standin",
        "gen_ai.response.finish_reasons": ["tool_calls"]
      })
      assert.deepInclude(answering.attributes, {
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.output_tokens": 2
      })
      assert.deepInclude(tool.attributes, { "gen_ai.tool.name": "shell.run", "atomic_agent.tool.outcome": "ok" })
      assert.deepInclude(approval.attributes, {
        "atomic_agent.approval.category": "shell",
        "atomic_agent.approval.outcome": "approved"
      })

      const figures = collector.metrics.map(({ name, points }) => [name, points.map(({ count }) => count)])
      assert.deepStrictEqual(Object.fromEntries(figures), {
        turns: [1],
        "turn.queue_wait_ms": [1],
        "llm.time_to_first_token_ms": [1],
        "llm.tokens_per_second": [2],
        "llm.cache_hit_ratio": [2],
        "tool.time_ms": [1]
      })
      for (const resource of collector.resources) {
        assert.deepInclude(resource, { "service.name": "desk", "deployment.environment": "test" })
      }
      for (const { headers } of collector.requests) assert.strictEqual(headers["x-key"], "of mine")
    } finally {
      await server.stop()
    }
  })

  it("tells of a turn that fails by its kind, and what it sends holds none of the words", async () => {
    await using collector = await Collector.start()
    const server = await LlamaServer.start({ answer: refuse(401, "who are you, sk-words?") })
    try {
      using dir = new StateDir({ localModels: { url: server.url } })
      using bin = new Bin(dir, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
      const sessionId = await bin.session(dir.path)
      await bin.request("send_message", { sessionId, text: "sk-words" })
      await bin.end()
      const failed = collector.spans.map(({ attributes, name, status }) => [name, status, attributes["error.type"]])
      assert.sameDeepMembers(failed, [
        ["invoke_agent atomic-agent", 2, "transport"],
        ["step", 2, "transport"],
        ["chat standin", 2, "transport"]
      ])
      assert.notInclude(collector.requests.map(({ text }) => text).join(), "sk-words")
    } finally {
      await server.stop()
    }
  })

  it.each([
    ["is not there", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:2" }],
    ["takes connections and never answers", undefined]
  ])("does without a collector that %s: turns go on, and so does the way out", async (_, given) => {
    await using collector = await Collector.start({ hangs: true })
    using dir = new StateDir({ localModels: { mode: "scripted" }, log: { level: "debug" } })
    using bin = new Bin(dir, { env: given ?? { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
    const sessionId = await bin.session(dir.path)
    assert.isTrue((await bin.request("send_message", { sessionId, text: "hi" })).ok)
    bin.child.kill("SIGTERM")
    // 143, had it not been on its way out by itself before the three seconds were over.
    assert.deepStrictEqual(await bin.exited, { code: 0, signal: null })
    assert.deepStrictEqual([bin.noise, bin.stderr], [[], ""])
    assert.strictEqual(collector.connections > 0, given === undefined)
  })

  it.each([
    ["not set", {}, false],
    ["empty", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }, false],
    ["disabled", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:2", OTEL_SDK_DISABLED: "true" }, false],
    ["set", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:2" }, true]
  ])("opens no connection unless it is turned on: %s", async (_, env, connects) => {
    using dir = new StateDir({ localModels: { mode: "scripted" } })
    const seen = Path.join(dir.path, "connections")
    using bin = new Bin(dir, { env, nodeOptions: watchConnections(seen) })
    const sessionId = await bin.session(dir.path)
    assert.isTrue((await bin.request("send_message", { sessionId, text: "hi" })).ok)
    await bin.end()
    assert.strictEqual(Fs.existsSync(seen), connects)
  })

  it("is refused where it is set up wrongly, with the variable and what was expected", async () => {
    using dir = new StateDir({ localModels: { mode: "scripted" } })
    using bin = new Bin(dir, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost" } })
    const { payload } = await bin.event("error")
    assert.deepStrictEqual(payload, {
      code: "config_invalid",
      message:
        'environment variable OTEL_EXPORTER_OTLP_ENDPOINT: expected an http or https URL without user name, password, query and fragment, got "localhost"'
    })
    assert.deepStrictEqual(await bin.exited, { code: 78, signal: null })
  })
})
