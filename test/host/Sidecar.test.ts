import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Script } from "../../src/llama/scripted/Script.ts"
import { type HostOptions, SidecarHost, type TurnPiece } from "../../src/host/SidecarHost.ts"
import { StateDir } from "../support/Bin.ts"
import { drain, rejection } from "./Peer.ts"

const writes = (path: string) => ({ name: "fs.write", arguments: { path, content: "hello\n" } })

const script: Script = {
  turns: [
    { when: { userTextIncludes: "wait" }, steps: [{ text: "Once upon a time", hang: true }] },
    {
      when: { userTextIncludes: "finish" },
      steps: [{ toolCalls: [{ name: "finish", arguments: { summary: "Finished." } }] }]
    },
    {
      when: { userTextIncludes: "write" },
      steps: [{ text: "Let me write.", toolCalls: [writes("a.txt")] }, { text: "Written, 你好 👩‍💻." }]
    }
  ],
  otherwise: { text: "The same as ever." }
}

/** The sidecar of this package over a real pipe, with a model that has learned its words by heart. */
class Stage implements AsyncDisposable {
  readonly dir = new StateDir()
  readonly host: SidecarHost

  constructor(options: HostOptions = {}, settings: object = {}) {
    const path = Path.join(this.dir.path, "script.json")
    Fs.writeFileSync(path, JSON.stringify(script))
    const config = { localModels: { mode: "scripted", script: path }, ...settings }
    Fs.writeFileSync(Path.join(this.dir.path, "config.json"), JSON.stringify(config))
    this.host = SidecarHost.spawn({ ...options, env: { ...process.env, ATOMIC_AGENT_STATE_DIR: this.dir.path } })
  }

  async session(): Promise<string> {
    return (await this.host.request("start_session", { workingDir: this.dir.path })).sessionId
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.shutdown()
    this.dir[Symbol.dispose]()
  }
}

const textOf = (pieces: ReadonlyArray<TurnPiece>) => pieces.map(({ text }) => text).join("")

describe("a host and the real sidecar", () => {
  it("hold a conversation, an approval in it, and part in peace", async () => {
    const previews: Array<string | undefined> = []
    await using stage = new Stage({
      onApproval: ({ category, preview }) => {
        previews.push(preview)
        return { approved: category === "fs_write_workspace" }
      }
    })
    const sessionId = await stage.session()
    const events = stage.host.events({ sessionId })
    const turn = stage.host.send(sessionId, "write it down")
    const { items } = await drain(turn)
    assert.strictEqual(textOf(items), "Let me write.Written, 你好 👩‍💻.")
    assert.deepStrictEqual(
      items.flatMap(({ ends }) => ends ?? []),
      ["note", "reply"]
    )
    assert.deepInclude(await turn.result, { reason: "reply", turnCount: 1, stepCount: 2 })
    assert.strictEqual(Fs.readFileSync(Path.join(stage.dir.path, "a.txt"), "utf8"), "hello\n")
    assert.lengthOf(previews, 1)
    assert.include(previews[0], "+hello")
    assert.deepStrictEqual(await stage.host.shutdown(), { exitCode: 0, signal: null, detail: "" })
    const types = (await drain(events)).items.map(({ type }) => type)
    assert.deepStrictEqual([types[0], types.at(-1)], ["session_started", "turn_finished"])
  })

  it("go on after a denial, whose reason the model is told", async () => {
    await using stage = new Stage({ onApproval: async () => ({ approved: false, reason: "use b.txt" }) })
    const summaries: Array<string> = []
    stage.host.on("tool_call_result", ({ summary }) => summaries.push(summary))
    const turn = stage.host.send(await stage.session(), "write it down")
    assert.strictEqual((await turn.result).reason, "reply")
    assert.include(summaries[0], "use b.txt")
  })

  it("cancel a turn by its signal, and the session is as good as before", async () => {
    await using stage = new Stage()
    const sessionId = await stage.session()
    const controller = new AbortController()
    const turn = stage.host.send(sessionId, "wait", { signal: controller.signal })
    let streamed = ""
    for await (const { text } of turn) {
      streamed += text
      if (streamed === "Once upon a time") controller.abort()
    }
    assert.strictEqual((await turn.result).reason, "cancelled")
    const next = stage.host.send(sessionId, "finish")
    assert.deepStrictEqual((await drain(next)).items, [{ text: "Finished.", ends: "reply" }])
    assert.strictEqual((await next.result).reason, "finish")
  })

  it("withdraw a question that a cancel has made idle", async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    await using stage = new Stage({
      onApproval: (_, signal) => {
        asked.resolve(signal)
        return new Promise(() => {})
      }
    })
    const controller = new AbortController()
    const turn = stage.host.send(await stage.session(), "write it down", { signal: controller.signal })
    const signal = await asked.promise
    assert.isFalse(signal.aborted)
    controller.abort()
    assert.strictEqual((await turn.result).reason, "cancelled")
    assert.isTrue(signal.aborted)
  })

  it("take one message out of the queue, and play the others", async () => {
    await using stage = new Stage()
    const sessionId = await stage.session()
    assert.deepStrictEqual((await stage.host.hello(["queue"])).extensions, ["queue"])
    const controllers = [new AbortController(), new AbortController()]
    const [running, dropped, last] = [
      stage.host.send(sessionId, "wait", { signal: controllers[0]!.signal }),
      stage.host.send(sessionId, "drop me", { signal: controllers[1]!.signal }),
      stage.host.send(sessionId, "finish")
    ]
    controllers[1]!.abort()
    assert.strictEqual((await dropped.result).reason, "cancelled")
    assert.deepStrictEqual((await drain(dropped)).items, [])
    const listed = await stage.host.request("list_queue", { sessionId })
    assert.strictEqual(listed.running, running.turnId)
    assert.deepStrictEqual(
      listed.queued.map(({ turnId }) => turnId),
      [last.turnId]
    )
    controllers[0]!.abort()
    assert.strictEqual((await running.result).reason, "cancelled")
    // A cancel ends what waits, too.
    assert.strictEqual((await last.result).reason, "cancelled")
  })

  it("fail what cannot be done, with the code of the failure", async () => {
    await using stage = new Stage()
    const error = await rejection(stage.host.send("s-0", "hello").result)
    assert.deepInclude(
      { ...error, message: error.message },
      {
        code: "handler_failed",
        message: "no active session with id s-0"
      }
    )
    assert.strictEqual(
      (await rejection(stage.host.request("list_queue", { sessionId: "s-0" }))).code,
      "unknown_request"
    )
  })

  it("do not wait for the answer to a message that is longer than the sidecar reads", async () => {
    await using stage = new Stage({}, { sidecar: { maxLineBytes: 1000 } })
    const { host } = stage
    const sessionId = await stage.session()
    const turn = host.send(sessionId, "x".repeat(20_000))
    const error = await rejection(turn.result)
    assert.strictEqual(error.code, "not_sent")
    assert.match(error.message, /^send_message: the line has \d+ bytes, more than the limit of 1000/)
    assert.strictEqual((await drain(turn)).error, error)
    const next = host.send(sessionId, "hello")
    assert.strictEqual((await drain(next)).items.map(({ text }) => text).join(""), "The same as ever.")
  })

  it("part with the sidecar's own words where its configuration is wrong", async () => {
    using dir = new StateDir({ agent: { maxSteps: "many" } })
    const host = SidecarHost.spawn({ env: { ...process.env, ATOMIC_AGENT_STATE_DIR: dir.path } })
    const { detail, exitCode, message } = await rejection(host.request("ping"))
    assert.strictEqual(exitCode, 78)
    assert.include(detail, "agent.maxSteps: expected")
    assert.strictEqual(message, `the sidecar is gone (exit 78): ${detail}`)
  })
})
