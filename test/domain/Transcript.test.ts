import { assert, describe, it } from "@effect/vitest"
import type { ChatMessage, Entry } from "../../src/domain/Transcript.ts"
import { noResult, toMessages, wireName } from "../../src/domain/Transcript.ts"

const base = { at: 1, turnId: "t-1" }
const user = (text: string, steered?: true): Entry => ({ kind: "user", ...base, text, ...(steered ? { steered } : {}) })
const notice = (text: string): Entry => ({ kind: "notice", ...base, text })
const note = (text: string): Entry => ({ kind: "assistant_reply", ...base, text, progressNote: true })
const reply = (text: string): Entry => ({ kind: "assistant_reply", ...base, text })
const call = (callId: string, args: unknown = {}, tool = "fs.list", reasoning?: string): Entry => ({
  kind: "assistant_tool_call",
  ...base,
  callId,
  tool,
  args,
  ...(reasoning === undefined ? {} : { reasoning })
})
const result = (callId: string, summary = `result of ${callId}`): Entry => ({
  kind: "tool_result",
  ...base,
  callId,
  tool: "fs.list",
  status: "ok",
  summary,
  truncated: false
})
const says = (content: string): ChatMessage => ({ role: "assistant", content })
const asks = (content: string): ChatMessage => ({ role: "user", content })
const answers = (id: string, content = `result of ${id}`): ChatMessage => ({ role: "tool", tool_call_id: id, content })
const calls = (content: string, ...ids: ReadonlyArray<string>): ChatMessage => ({
  role: "assistant",
  content,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "fs_list", arguments: "{}" } }))
})

describe("what the model sees of a history", () => {
  const rows: ReadonlyArray<readonly [string, ReadonlyArray<Entry>, ReadonlyArray<ChatMessage>]> = [
    ["nothing of nothing", [], []],
    ["a question and its answer", [user("a"), reply("b")], [asks("a"), says("b")]],
    [
      "user, steer and notice that stand together as one message",
      [user("a"), user("b", true), notice("c")],
      [asks("a\n\nb\n\nc")]
    ],
    [
      "the calls of a step as one message, and the results in the order of the calls",
      [user("a"), call("1"), call("2"), result("2"), result("1"), reply("b")],
      [asks("a"), calls("", "1", "2"), answers("1"), answers("2"), says("b")]
    ],
    [
      "two steps as two messages",
      [user("a"), call("1"), result("1"), call("2"), result("2")],
      [asks("a"), calls("", "1"), answers("1"), calls("", "2"), answers("2")]
    ],
    [
      "the words that came with calls as the content of their message",
      [user("a"), note("I look"), call("1"), result("1")],
      [asks("a"), calls("I look", "1"), answers("1")]
    ],
    [
      "a closing reply that a steer overtook as a message of its own",
      [user("a"), note("b"), user("c", true), reply("d")],
      [asks("a"), says("b"), asks("c"), says("d")]
    ],
    [
      "a stand-in for the result of a call that never ran",
      [user("a"), call("1"), call("2"), result("1"), user("b")],
      [asks("a"), calls("", "1", "2"), answers("1"), answers("2", noResult), asks("b")]
    ],
    ["no call for a result without one", [user("a"), result("9"), reply("b")], [asks("a"), says("b")]],
    [
      "an interrupted reply",
      [user("a"), { kind: "assistant_reply", ...base, text: "b", interrupted: true }, user("c")],
      [asks("a"), says("b"), asks("c")]
    ],
    ["no reply of white space", [user("a"), reply(" \n"), user("b")], [asks("a\n\nb")]],
    ["two replies in a row as one message", [user("a"), reply("b"), reply("c")], [asks("a"), says("b\n\nc")]],
    [
      "a reply behind results apart from the calls",
      [user("a"), call("1"), result("1"), reply("b")],
      [asks("a"), calls("", "1"), answers("1"), says("b")]
    ]
  ]
  for (const [what, entries, messages] of rows) {
    it(`has ${what}`, () => assert.deepStrictEqual(toMessages(entries), messages))
  }

  it("sends the empty object for arguments that no server would take", () => {
    for (const args of ['{"path": "', null, [1], 7, true]) {
      assert.deepStrictEqual(toMessages([call("1", args)])[0], calls("", "1"))
    }
  })

  it("sends arguments as JSON text, and the reasoning of the step", () => {
    assert.deepStrictEqual(toMessages([call("1", { path: "é" }, "fs.read", "hm"), call("2", {}, "fs.list", "hm")])[0], {
      role: "assistant",
      content: "",
      reasoning_content: "hm",
      tool_calls: [
        { id: "1", type: "function", function: { name: "fs_read", arguments: '{"path":"é"}' } },
        { id: "2", type: "function", function: { name: "fs_list", arguments: "{}" } }
      ]
    })
  })

  it("only grows at its end", () => {
    const entries = [
      user("a"),
      call("1"),
      call("2"),
      result("1"),
      result("2"),
      note("and"),
      call("3"),
      result("3"),
      reply("b"),
      user("c"),
      note("d"),
      user("e", true),
      call("4"),
      result("4"),
      notice("f"),
      reply("g")
    ]
    // A request is only made where the model is to speak: behind a user, a notice, or the last result of a step.
    const asked = [1, 5, 8, 10, 12, 14, 15]
    asked.forEach((length) => {
      const short = toMessages(entries.slice(0, length))
      assert.deepStrictEqual(toMessages(entries).slice(0, short.length - 1), short.slice(0, -1))
      const [last, longer] = [short.at(-1), toMessages(entries)[short.length - 1]]
      assert.isTrue(longer?.role === last?.role && longer?.content.startsWith(last?.content ?? "?"))
    })
  })
})

it("a tool's name on the wire has only what every endpoint takes", () => {
  assert.strictEqual(wireName("fs.list"), "fs_list")
  assert.strictEqual(wireName("skill.run_script"), "skill_run_script")
  assert.strictEqual(wireName("wetter in köln?"), "wetter_in_k_ln_")
  assert.strictEqual(wireName(""), "unnamed")
  assert.strictEqual(wireName("x".repeat(70)).length, 64)
})
