import { assert, describe, it } from "@effect/vitest"
import { makeScreen } from "./Screen.ts"
import { colourDiff, styleFor } from "./Style.ts"
import type { EmittedEvent, SidecarEvent } from "../../src/protocol/Event.ts"

const sessionId = "s-1"
const turn = { sessionId, turnId: "t-1" }

const drawn = (...events: ReadonlyArray<EmittedEvent>): string => {
  let text = ""
  const screen = makeScreen({ write: (more) => (text += more), style: styleFor(false), width: () => 60 })
  for (const event of events) screen.show({ kind: "event", id: "e", ...event } as SidecarEvent)
  return text
}

const call = (callId: string, tool: string) => ({ ...turn, stepIndex: -1, step: 0, callId, tool }) as const
const started = (callId: string, tool: string, args: unknown): EmittedEvent => ({
  type: "tool_call_started",
  payload: { ...call(callId, tool), args }
})
const result = (callId: string, tool: string, status: "ok" | "error", summary: string, batch = {}): EmittedEvent => ({
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

  it("lets nothing that it is told drive the terminal, nor look like something else", () => {
    const bad = "a\u001b]0;title\u0007b\u009bc\u202ed\rx"
    const good = "a\\u001b]0;title\\u0007b\\u009bc\\u202ed\\u000dx"
    const events: ReadonlyArray<EmittedEvent> = [
      { type: "user_message", payload: { ...turn, text: bad } },
      { type: "reasoning_delta", payload: { ...turn, stepIndex: 0, text: bad } },
      { type: "assistant_delta", payload: { ...turn, text: bad } },
      { type: "assistant_reply", payload: { ...turn, text: bad, attachments: [bad] } },
      started("c-1", bad, { [bad]: bad }),
      started("c-1", "fs.read", bad),
      result("c-1", "fs.read", "ok", bad),
      result("c-1", bad, "error", bad, { batchIndex: 0, batchSize: 2 }),
      {
        type: "approval_request",
        payload: {
          ...turn,
          approvalId: "a-1",
          callId: "c-1",
          tool: bad,
          category: "shell",
          reason: bad,
          preview: `--- ${bad}\n+++ ${bad}\n@@ -1 +1 @@\n-${bad}\n+${bad}`,
          affectedResources: [bad]
        }
      },
      { type: "steer_applied", payload: { ...turn, stepIndex: 0, text: bad } },
      { type: "steer_undelivered", payload: { ...turn, text: bad } },
      { type: "llm_unavailable", payload: { mode: "external", url: bad, error: bad, hint: bad } },
      { type: "error", payload: { code: "internal", message: bad } }
    ]
    for (const event of events) {
      const text = drawn(event)
      assert.notMatch(text, /[^\P{Cc}\n]|\u202e/u, event.type)
      // A narrow screen cuts some of it.
      assert.include(text, good.slice(0, 20), event.type)
    }
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
