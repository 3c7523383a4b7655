import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { readAnswer } from "../../scripts/chat/Answer.ts"
import { connect } from "../../scripts/chat/Client.ts"
import { playDemo } from "../../scripts/chat/Demo.ts"
import { makeScreen } from "../../scripts/chat/Screen.ts"
import { colourDiff, printable, styleFor } from "../../scripts/chat/Style.ts"
import type { Event, SidecarEvent } from "../../src/protocol/Event.ts"

const bin = Path.join(import.meta.dirname, "FakeSidecar.ts")
const sessionId = "s-1"
const turn = { sessionId, turnId: "t-1" }

const drawn = (...events: ReadonlyArray<Event>): string => {
  let text = ""
  const screen = makeScreen({ write: (more) => (text += more), style: styleFor(false), width: () => 60 })
  for (const event of events) screen.show({ kind: "event", id: "e", ...event } as SidecarEvent)
  return text
}

const call = (callId: string, tool: string) => ({ ...turn, stepIndex: -1, step: 0, callId, tool }) as const
const started = (callId: string, tool: string, args: unknown): Event => ({
  type: "tool_call_started",
  payload: { ...call(callId, tool), args }
})
const result = (callId: string, tool: string, status: "ok" | "error", summary: string, batch = {}): Event => ({
  type: "tool_call_result",
  payload: { ...call(callId, tool), status, summary, ...batch }
})

describe("the screen of the terminal chat", () => {
  it("shows a reply once, though it comes in deltas and as a whole", () => {
    const text = drawn(
      { type: "assistant_delta", payload: { ...turn, text: "Hel" } },
      { type: "assistant_delta", payload: { ...turn, text: "lo" } },
      { type: "assistant_reply", payload: { ...turn, text: "Hello" } }
    )
    assert.strictEqual(text, "\nHello\n")
  })

  it("shows a reply that did not stream", () => {
    assert.strictEqual(drawn({ type: "assistant_reply", payload: { ...turn, text: "Done." } }), "\nDone.\n")
  })

  it("begins a line between reasoning, text and calls", () => {
    const text = drawn(
      { type: "reasoning_delta", payload: { ...turn, stepIndex: 0, text: "first" } },
      { type: "reasoning_delta", payload: { ...turn, stepIndex: 0, text: " thought\nsecond" } },
      { type: "assistant_delta", payload: { ...turn, text: "I look." } },
      { type: "assistant_reply", payload: { ...turn, text: "I look.", progressNote: true } },
      started("c-1", "fs.list", { path: "." }),
      result("c-1", "fs.list", "ok", "a\nb")
    )
    assert.strictEqual(text, '  ~ first thought\n    second\n\nI look.\n  → fs.list path: "."\n    ✓ a\n      b\n')
  })

  it("holds white space back until something follows it", () => {
    const text = drawn(
      { type: "reasoning_delta", payload: { ...turn, stepIndex: 0, text: "so\n" } },
      { type: "reasoning_delta", payload: { ...turn, stepIndex: 0, text: "\n" } },
      { type: "assistant_delta", payload: { ...turn, text: "a\n\n" } },
      { type: "assistant_delta", payload: { ...turn, text: "b \n" } },
      { type: "assistant_reply", payload: { ...turn, text: "a\n\nb \n" } }
    )
    assert.strictEqual(text, "  ~ so\n\na\n\nb\n")
  })

  it("says whose result it is where several calls ran, and how much it leaves out", () => {
    const batch = (batchIndex: number) => ({ batchIndex, batchSize: 2 })
    const text = drawn(
      result("c-2", "fs.read", "error", "1\n2\n3\n4\n5\n6", batch(1)),
      result("c-1", "fs.list", "ok", "a", batch(0))
    )
    assert.strictEqual(
      text,
      "    ✗ fs.read\n      1\n      2\n      3\n      4\n      … 2 more lines\n    ✓ fs.list\n      a\n"
    )
  })

  it("does not let a model's text drive the terminal", () => {
    const text = drawn({ type: "assistant_reply", payload: { ...turn, text: "a\u001b]0;title\u0007b\u009bc\td" } })
    assert.strictEqual(text, "\na]0;titlebc\td\n")
    assert.strictEqual(printable("é 你 👩‍👩‍👧 \n"), "é 你 👩‍👩‍👧 \n")
  })

  it("shows what is asked for at an approval", () => {
    const text = drawn({
      type: "approval_request",
      payload: {
        ...turn,
        approvalId: "a-1",
        callId: "c-1",
        tool: "shell.run",
        category: "shell",
        reason: "runs a command",
        preview: "rm -r build",
        affectedResources: ["/w/build"]
      }
    })
    assert.strictEqual(text, "  ? shell.run · shell · runs a command\n    rm -r build\n    /w/build\n")
  })

  it("colours the lines of a diff, and nothing that is none", () => {
    const style = { ...styleFor(false), good: (text: string) => `<${text}>`, bad: (text: string) => `[${text}]` }
    assert.strictEqual(
      colourDiff("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z", style),
      "--- a\n+++ b\n@@ -1 +1 @@\n[-x]\n<+y>\n z"
    )
    assert.strictEqual(colourDiff("grep\n+x\n-y", style), "grep\n+x\n-y")
  })
})

describe("an answer to an approval", () => {
  const answers: ReadonlyArray<[typed: string, means: ReturnType<typeof readAnswer>]> = [
    ["y", { approved: true }],
    [" Yes ", { approved: true }],
    ["n", { approved: false }],
    ["no", { approved: false }],
    ["n use the other file", { approved: false, reason: "use the other file" }],
    ["No, too much", { approved: false, reason: "too much" }],
    ["n: später", { approved: false, reason: "später" }],
    ["", undefined],
    ["nothing", undefined],
    ["yesterday", undefined],
    ["y but only once", undefined],
    ["ok", undefined]
  ]
  for (const [typed, means] of answers) {
    it(`${JSON.stringify(typed)} is ${JSON.stringify(means) ?? "asked again"}`, () => {
      assert.deepStrictEqual(readAnswer(typed), means)
    })
  }
})

describe("the client of the scripts", () => {
  const withClient = async (mode: string, use: (client: ReturnType<typeof connect>) => Promise<void>) => {
    const events: Array<SidecarEvent> = []
    const client = connect({ bin, env: { ...process.env, FAKE_SIDECAR: mode }, onEvent: (event) => events.push(event) })
    await use(client)
    await client.close()
    return events
  }
  const rejection = async (promise: Promise<unknown>) =>
    promise.then(
      () => "no error",
      (error: Error) => error.message
    )

  it("puts frames together from single bytes", async () => {
    const events = await withClient("bytewise", async (client) => {
      assert.deepStrictEqual(await client.request("start_session", { workingDir: "." }), { sessionId })
      void client.request("send_message", { sessionId, text: "你好" }).catch(() => {})
      assert.deepStrictEqual(await client.request("approval_response", { approvalId: "a-1", approved: true }), {
        resolved: true
      })
    })
    assert.deepInclude(events, { kind: "event", id: "x", type: "user_message", payload: { ...turn, text: "你好" } })
    assert.deepInclude(events, {
      kind: "event",
      id: "x",
      type: "reasoning_delta",
      payload: { ...turn, stepIndex: 0, text: "hm\u2028hm" }
    })
  })

  it("fails a request with the sidecar's own words", async () => {
    await withClient("", async (client) => {
      assert.strictEqual(await rejection(client.request("skill_list", {})), "unknown request skill_list")
    })
  })

  it("fails what waits, and what comes later, when the sidecar dies", async () => {
    await withClient("", async (client) => {
      const waiting = [client.request("send_message", { sessionId, text: "die" }), client.request("ping", {})]
      assert.deepStrictEqual(await Promise.all(waiting.map(rejection)), [
        "the sidecar ended (exit 3)",
        "the sidecar ended (exit 3)"
      ])
      assert.strictEqual(await rejection(client.request("ping", {})), "the sidecar ended (exit 3)")
    })
  })

  it("tells what is wrong with the configuration", async () => {
    await withClient("config_invalid", async (client) => {
      assert.strictEqual(
        await rejection(client.request("ping", {})),
        "the sidecar ended (exit 78): config.json: agent.maxSteps: expected integer, got string"
      )
    })
  })
})

describe("the conversation without a terminal", () => {
  it("is played to its end, approvals answered", async () => {
    let text = ""
    const screen = makeScreen({ write: (more) => (text += more), style: styleFor(false), width: () => 80 })
    const model = { line: "", env: process.env, dispose: () => {} }
    assert.strictEqual(await playDemo(bin, model, screen), 0)
    assert.strictEqual(text.match(/✓ written/g)?.length, 3)
    assert.strictEqual(text.match(/^Done, 你好\.$/gm)?.length, 3)
  })
})
