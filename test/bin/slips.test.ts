import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import { chunk, say } from "../../src/testing/LlamaAnswers.ts"
import type { LlamaServer } from "../../src/testing/LlamaServer.ts"
import * as Standin from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../support/Bin.ts"

/** What a model writes for one call. */
interface Written {
  readonly name: string
  readonly args: string
  readonly finish?: string
}

const call = ({ args, finish = "tool_calls", name }: Written) => ({
  pieces: [
    chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name, arguments: args.slice(0, 3) } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(3) } }] }),
    chunk({}, finish),
    "data: [DONE]\n\n"
  ]
})

/** The turns of one session, whose every request begins with the one before it. */
const session = async (dir: StateDir, play: (bin: Bin, server: LlamaServer, id: string) => Promise<void>) => {
  const server = await Standin.start()
  Fs.writeFileSync(Path.join(dir.path, "config.json"), JSON.stringify({ localModels: { url: server.url } }))
  const work = Path.join(dir.path, "work")
  Fs.mkdirSync(work)
  Fs.writeFileSync(Path.join(work, "a.txt"), "one\ntwo\nthree\n")
  try {
    using bin = new Bin(dir)
    bin.onFrame = (frame) => {
      if (frame.kind !== "event" || frame.type !== "approval_request") return
      bin.post("approval_response", { approvalId: frame.payload.approvalId, approved: true })
    }
    await play(bin, server, await bin.session(work))
    await bin.end()
    const sent = server.chats.map(({ body }) => JSON.stringify(body.messages).slice(0, -1))
    for (const [at, text] of sent.entries()) assert.isTrue(text.startsWith(sent[at - 1] ?? ""), `request ${at}`)
  } finally {
    await server.stop()
  }
}

/** Sends a message that these answers lead to the end of; its events. */
const turn = async (bin: Bin, server: LlamaServer, id: string, ...answers: ReadonlyArray<ReturnType<typeof say>>) => {
  const from = bin.frames.length
  const before = server.chats.length
  server.answer((_, index) => answers[index - before] ?? say({ text: "There is no more." }))
  const { payload } = await bin.request("send_message", { sessionId: id, text: "go" })
  const frames = bin.frames.slice(from)
  return { frames, reason: (payload as { reason?: string }).reason, asked: server.chats.length - before }
}

const payloadsOf = <T extends string>(frames: ReadonlyArray<SidecarFrame>, type: T): ReadonlyArray<any> =>
  frames.flatMap((frame) => (frame.kind === "event" && frame.type === type ? [frame.payload] : []))

const read = (args: string): Written => ({ name: "fs_read", args })
const named = (name: string): Written => ({ name, args: '{"path": "a.txt"}' })

/** What is run, with the arguments that host, history and approval show. */
const run: ReadonlyArray<readonly [what: string, written: Written, tool: string, args: object]> = [
  ["another case", named("FS_Read"), "fs.read", { path: "a.txt" }],
  ["a dot", named("fs.read"), "fs.read", { path: "a.txt" }],
  ["functions. and a number", named("functions.fs_read:0"), "fs.read", { path: "a.txt" }],
  ["a special token behind", named("fs_read<|channel|>commentary"), "fs.read", { path: "a.txt" }],
  [
    "numbers as text",
    read('{"path": "a.txt", "offset": "2", "limit": "1"}'),
    "fs.read",
    { path: "a.txt", offset: 2, limit: 1 }
  ],
  [
    "a boolean as text",
    { name: "fs_edit", args: '{"path": "a.txt", "oldText": "one", "newText": "One", "replaceAll": "True"}' },
    "fs.edit",
    { path: "a.txt", oldText: "one", newText: "One", replaceAll: true }
  ],
  ["an array as text", { name: "attach", args: String.raw`{"paths": "[\"a.txt\"]"}` }, "attach", { paths: ["a.txt"] }],
  [
    "null for what may be left out",
    read('{"path": "a.txt", "offset": null, "limit": null}'),
    "fs.read",
    { path: "a.txt" }
  ],
  ["an object that is encoded twice", read(JSON.stringify('{"path":"a.txt"}')), "fs.read", { path: "a.txt" }],
  ["a comma at the end", read('{"path": "a.txt",}'), "fs.read", { path: "a.txt" }],
  ["single quotes", read("{'path': 'a.txt'}"), "fs.read", { path: "a.txt" }],
  ["keys without quotes", read('{path: "a.txt"}'), "fs.read", { path: "a.txt" }],
  ["a brace too many", read('{"path": "a.txt"}}'), "fs.read", { path: "a.txt" }],
  ["no brace at the end, where it only reads", read('{"path": "a.txt"'), "fs.read", { path: "a.txt" }],
  ["a code fence", read('```json\n{"path": "a.txt"}\n```'), "fs.read", { path: "a.txt" }],
  [
    "line breaks in a text",
    { name: "fs_write", args: '{"path": "b.txt", "content": "one\ntwo\n"}' },
    "fs.write",
    { path: "b.txt", content: "one\ntwo\n" }
  ],
  [
    "constants of Python, and a number as text",
    { name: "shell_run", args: `{'command': 'echo "hi" > c.txt', 'cwd': None, 'timeoutMs': '5000'}` },
    "shell.run",
    { command: 'echo "hi" > c.txt', timeoutMs: 5000 }
  ]
]

/** What is not run, and what the model reads instead. */
const notRun: ReadonlyArray<readonly [what: string, written: Written, told: RegExp]> = [
  ["an unknown name", { name: "read_file", args: "{}" }, /no tool "read_file".*nearest names are: fs_read,/],
  ["a name like none", { name: "bash", args: '{"command": "touch no.txt"}' }, /no tool "bash".*shell_run/],
  [
    "a number that is none",
    read('{"path": "a.txt", "limit": "all"}'),
    /^fs_read: limit: expected an integer, got string/
  ],
  [
    "a text for an array",
    { name: "attach", args: '{"paths": "a.txt"}' },
    /^attach: paths: expected an array.*, got string/
  ],
  ["a missing key", read("{}"), /^fs_read: path: expected string, got nothing/],
  ["null for what must be given", read('{"path": null}'), /^fs_read: path: expected string, got null/],
  ["an open string", { name: "shell_run", args: '{"command": "touch no.txt' }, /a string is not closed/],
  [
    "arguments that the length limit has cut",
    { name: "shell_run", args: '{"command": "touch no.txt"', finish: "length" },
    /cut off by the length limit/
  ],
  [
    "arguments of a reading call that the length limit has cut",
    { ...read('{"path": "a.txt"'), finish: "length" },
    /cut off by the length limit/
  ],
  [
    "no brace at the end, where it acts",
    { name: "shell_run", args: '{"command": "touch no.txt"' },
    /a bracket is not closed/
  ],
  [
    "backslashes that would be lost",
    { name: "shell_run", args: String.raw`{"command": "touch no.txt; ls C:\dir",}` },
    /backslash in a string must be written as \\\\/
  ],
  ["quotes in a text", { name: "shell_run", args: '{"command": "touch "no.txt""}' }, /not valid JSON/],
  ["a command without quotes", { name: "shell_run", args: "{command: touch no.txt}" }, /not valid JSON/],
  ["a value that is missing", { name: "fs_write", args: '{"path": "no.txt", "content": ' }, /not valid JSON/]
]

describe("the bin: slips of small models", () => {
  it("runs what is meant, and shows host, approval and history what it runs", async () => {
    using dir = new StateDir()
    await session(dir, async (bin, server, id) => {
      for (const [what, written, tool, args] of run) {
        const { frames, reason } = await turn(bin, server, id, call(written), say({ text: "Done." }))
        assert.strictEqual(reason, "reply", what)
        assert.deepInclude(payloadsOf(frames, "tool_call_started")[0], { tool, args }, what)
        assert.deepInclude(payloadsOf(frames, "tool_call_result")[0], { tool, status: "ok" }, what)
        const sent = server.chats.at(-1)?.body.messages.findLast((each: any) => each.tool_calls)?.tool_calls
        assert.deepStrictEqual(
          sent[0].function,
          { name: tool.replace(".", "_"), arguments: JSON.stringify(args) },
          what
        )
        const [asked] = payloadsOf(frames, "approval_request")
        if (tool === "shell.run") assert.include(asked.preview, 'echo "hi" > c.txt')
      }
    })
    const work = Path.join(dir.path, "work")
    assert.strictEqual(Fs.readFileSync(Path.join(work, "a.txt"), "utf8"), "One\ntwo\nthree\n")
    assert.strictEqual(Fs.readFileSync(Path.join(work, "b.txt"), "utf8"), "one\ntwo\n")
    assert.strictEqual(Fs.readFileSync(Path.join(work, "c.txt"), "utf8"), "hi\n")
  })

  it("runs nothing that would be a guess, and says what to change, in the names that the model was offered", async () => {
    using dir = new StateDir()
    await session(dir, async (bin, server, id) => {
      for (const [what, written, told] of notRun) {
        const { frames } = await turn(bin, server, id, call(written), say({ text: "I see." }))
        const [result] = payloadsOf(frames, "tool_call_result")
        assert.strictEqual(result.status, "error", what)
        assert.match(result.summary, told, what)
        assert.notMatch(result.summary, /(fs|shell|http|skill)\.[a-z]/, what)
        assert.deepStrictEqual(payloadsOf(frames, "approval_request"), [], what)
      }
    })
    assert.deepStrictEqual(Fs.readdirSync(Path.join(dir.path, "work")), ["a.txt"])
  })

  it("tells once in a turn how to call, and never runs a text", async () => {
    using dir = new StateDir()
    const text = '<tool_call>\n{"name": "shell_run", "arguments": {"command": "touch no.txt"}}\n</tool_call>'
    await session(dir, async (bin, server, id) => {
      const told = await turn(bin, server, id, say({ text }), call(named("fs_read")), say({ text: "Read." }))
      assert.deepStrictEqual([told.reason, told.asked], ["reply", 3])
      assert.deepStrictEqual(
        payloadsOf(told.frames, "assistant_reply").map(({ progressNote, text }) => [text, progressNote]),
        [
          [text, true],
          ["Read.", undefined]
        ]
      )
      const notice = server.chats[1]?.body.messages.at(-1)
      assert.strictEqual(notice.role, "user")
      assert.include(notice.content, "written as text")
      const again = await turn(bin, server, id, say({ text }), say({ text }))
      assert.deepStrictEqual([again.reason, again.asked], ["reply", 2])
      const speaking = await turn(bin, server, id, say({ text: "You write <tool_call> before a call." }))
      assert.deepStrictEqual([speaking.reason, speaking.asked], ["reply", 1])
      const last = await bin.request("send_message", { sessionId: id, text: "go", maxSteps: 1 })
      assert.deepInclude(last.payload, { reason: "reply" })
      assert.notInclude(JSON.stringify(bin.frames), "shell.run")
    })
  })

  it("asks once more after silence, and keeps what it said over a restart", async () => {
    using dir = new StateDir()
    const thoughts = say({ reasoning: "Hm." })
    await session(dir, async (bin, server, id) => {
      const told = await turn(bin, server, id, call(named("fs_read")), say({}), say({ text: "Two lines." }))
      assert.deepStrictEqual([told.reason, told.asked], ["reply", 3])
      assert.deepStrictEqual(
        server.chats[2]?.body.messages.slice(-3).map(({ role }: { role: string }) => role),
        ["tool", "assistant", "user"]
      )
      const thinking = await turn(bin, server, id, thoughts, say({ text: "Hello." }))
      assert.deepStrictEqual([thinking.reason, thinking.asked], ["reply", 2])
      const silent = await turn(bin, server, id, thoughts, call(named("fs_read")), say({}))
      assert.deepStrictEqual([silent.reason, silent.asked], ["failed", 3])
      const cut = await turn(bin, server, id, say({ reasoning: "Hm.", finish: "length" }))
      assert.deepStrictEqual([cut.reason, cut.asked], ["failed", 1])
      const mute = await turn(bin, server, id, say({}))
      assert.deepStrictEqual([mute.reason, mute.asked], ["failed", 1])
      const types = new Set(bin.frames.flatMap((frame) => (frame.kind === "event" ? [frame.type] : [])))
      assert.isFalse(types.has("log"))
      const sent = JSON.stringify(server.chats.at(-1)?.body.messages).slice(0, -1)
      await bin.end()
      using next = new Bin(dir)
      await next.request("hello", { extensions: ["sessions"] })
      await next.request("resume_session", { sessionId: id })
      const resumed = await turn(next, server, id, say({ text: "Here." }))
      assert.strictEqual(resumed.reason, "reply")
      assert.isTrue(JSON.stringify(server.chats.at(-1)?.body.messages).startsWith(sent))
      await next.end()
    })
  })
})
