import { assert, describe, it } from "@effect/vitest"
import type { Entry } from "../../../src/domain/Transcript.ts"
import { between, blank, type ChatMessage, make, noResult } from "../../../src/llama/prompt/ChatMessages.ts"
import type { MessageForm } from "../../../src/llama/prompt/MessageForm.ts"
import { wireId } from "../../../src/llama/prompt/WireId.ts"

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
const answers = (id: string, content = `result of ${id}`): ChatMessage => ({
  role: "tool",
  tool_call_id: wireId(id),
  content
})
/** The assistant's word between two texts of the user, and the user's between two of the assistant. */
const [word, goOn] = [says(between.assistant), asks(between.user)]
const calls = (content: string, ...ids: ReadonlyArray<string>): ChatMessage => ({
  role: "assistant",
  content,
  tool_calls: ids.map((id) => ({ id: wireId(id), type: "function", function: { name: "fs_list", arguments: "{}" } }))
})

describe("what the model sees of a history", () => {
  const rows: ReadonlyArray<readonly [string, ReadonlyArray<Entry>, ReadonlyArray<ChatMessage>]> = [
    ["nothing of nothing", [], []],
    ["a question and its answer", [user("a"), reply("b")], [asks("a"), says("b")]],
    [
      "user, steer and notice with a word of the assistant between them",
      [user("a"), user("b", true), notice("c")],
      [asks("a"), word, asks("b"), word, asks("c")]
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
      [asks("a"), calls("", "1", "2"), answers("1"), answers("2", noResult), word, asks("b")]
    ],
    ["no call for a result without one", [user("a"), result("9"), reply("b")], [asks("a"), says("b")]],
    [
      "an interrupted reply",
      [user("a"), { kind: "assistant_reply", ...base, text: "b", interrupted: true }, user("c")],
      [asks("a"), says("b"), asks("c")]
    ],
    ["no reply of white space", [user("a"), reply(" \n"), user("b")], [asks("a"), word, asks("b")]],
    ["two replies in a row apart", [user("a"), reply("b"), reply("c")], [asks("a"), says("b"), goOn, says("c")]],
    [
      "a call behind a reply apart from it",
      [user("a"), reply("b"), call("1"), result("1")],
      [asks("a"), says("b"), goOn, calls("", "1"), answers("1")]
    ],
    [
      "a steer behind a result apart from it",
      [user("a"), call("1"), result("1"), user("b", true)],
      [asks("a"), calls("", "1"), answers("1"), word, asks("b")]
    ],
    [
      "a word in place of what has no visible character",
      [user(" "), call("1"), result("1", "\n")],
      [asks(blank.user), calls("", "1"), answers("1", blank.tool)]
    ],
    ["a user before a call that opens it", [call("1"), result("1")], [goOn, calls("", "1"), answers("1")]],
    [
      "a reply behind results apart from the calls",
      [user("a"), call("1"), result("1"), reply("b")],
      [asks("a"), calls("", "1"), answers("1"), says("b")]
    ]
  ]
  for (const [what, entries, messages] of rows) {
    it(`has ${what}`, () => assert.deepStrictEqual(make(entries, "batched"), messages))
  }

  it("sends the empty object for arguments that no server would take", () => {
    for (const args of ['{"path": "', null, [1], 7, true]) {
      assert.deepStrictEqual(make([call("1", args)], "batched")[1], calls("", "1"))
    }
  })

  it("sends arguments as JSON text, and the reasoning of the step", () => {
    const entries = [call("1", { path: "é" }, "fs.read", "hm"), call("2", {}, "fs.list", "hm")]
    assert.deepStrictEqual(make(entries, "batched")[1], {
      role: "assistant",
      content: "",
      reasoning_content: "hm",
      tool_calls: [
        { id: wireId("1"), type: "function", function: { name: "fs_read", arguments: '{"path":"é"}' } },
        { id: wireId("2"), type: "function", function: { name: "fs_list", arguments: "{}" } }
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
    for (const form of ["batched", "single", "text"] as const) {
      const whole = make(entries, form)
      for (const length of asked) {
        const short = make(entries.slice(0, length), form)
        assert.deepStrictEqual(whole.slice(0, short.length), short, form)
      }
    }
  })
})

describe("a careful form has", () => {
  const entries = [
    user("a"),
    note("I look"),
    call("1", {}, "fs.list", "hm"),
    call("2"),
    result("1"),
    result("2"),
    user("b")
  ]
  const made = (form: MessageForm) => make(entries, form)

  it("one call in a message, its result behind it", () => {
    assert.deepStrictEqual(made("single"), [
      asks("a"),
      { ...calls("I look", "1"), reasoning_content: "hm" } as ChatMessage,
      answers("1"),
      calls("", "2"),
      answers("2"),
      word,
      asks("b")
    ])
  })

  it("no call and no result, but what they were as text", () => {
    assert.deepStrictEqual(made("text"), [
      asks("a"),
      says("I look\n[Called fs_list with {}]\n[Called fs_list with {}]"),
      asks("[Result of fs_list]\nresult of 1\n\n[Result of fs_list]\nresult of 2"),
      word,
      asks("b")
    ])
  })
})

it("an id on the wire is nine letters and digits, the same for the same call and for no other", () => {
  const ids = Array.from({ length: 20_000 }, (_, index) => wireId(`c-${index}`))
  for (const id of ids) assert.match(id, /^[a-zA-Z0-9]{9}$/)
  assert.strictEqual(new Set(ids).size, ids.length)
  assert.strictEqual(wireId("c-00000000-0000-4000-8000-000000000000"), "FTrXasbHo")
})
