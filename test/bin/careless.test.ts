import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { chunk, say } from "../../src/testing/LlamaAnswers.ts"
import * as Standin from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../support/Bin.ts"

/** What a careless model does next, after what it was answered last. */
type Model = (answered: string, step: number) => ReturnType<typeof say>

const call = (name: string, args: object | string) => {
  const text = typeof args === "string" ? args : JSON.stringify(args)
  return {
    pieces: [
      chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name, arguments: text } }] }),
      chunk({}, "tool_calls"),
      "data: [DONE]\n\n"
    ]
  }
}

/** Plays steps in order; each is made from what the model was answered. */
const inOrder =
  (...steps: ReadonlyArray<(answered: string) => ReturnType<typeof say>>): Model =>
  (answered, step) =>
    steps[step]?.(answered) ?? say({ text: "Done." })

/** What a pattern finds in an answer; without it the model has learned nothing, and the trial ends. */
const learned = (answered: string, pattern: RegExp): string =>
  pattern.exec(answered)?.[1] ?? assert.fail(`nothing to learn from ${JSON.stringify(answered)}: ${pattern}`)

const python = "def area(w, h):\n    if w < 0:\n        return 0\n    return w * h\n\ndef twice(x):\n    return x * 2\n"

interface Trial {
  readonly files: { readonly [name: string]: string }
  readonly model: Model
  /** What must be in the files at the end. */
  readonly wanted: { readonly [name: string]: string }
}

/** Five models with the faults of small ones: each does its work, by what it is answered. */
const trials: { readonly [who: string]: Trial } = {
  "one that spells names as it likes": {
    files: { "a.txt": "one\n" },
    model: inOrder(
      () => call("ReadFile", { path: "a.txt" }),
      (answered) => call(`functions.${learned(answered, /nearest names are:.*\b(fs_read)\b/)}`, { path: "a.txt" }),
      (answered) => call("FS-Edit", { path: "a.txt", oldText: learned(answered, /1\t(\w+)/), newText: "two" }),
      () => call("complete_task", { summary: "x" }),
      (answered) => call(learned(answered, /nearest names are:.*\b(finish)\b/), { summary: "All is done." })
    ),
    wanted: { "a.txt": "two\n" }
  },
  "one that writes arguments as they come": {
    files: { "a.txt": "one\ntwo\nthree\n" },
    model: inOrder(
      () => call("fs_read", "{'path': 'a.txt', 'offset': '2', limit: 1,}"),
      (answered) => call("fs_read", { file: learned(answered, /2\t(two)/) && "a.txt" }),
      (answered) => call("fs_read", { [learned(answered, /"(path)": string/)]: "a.txt", offset: "second" }),
      (answered) => call("fs_read", { path: "a.txt", offset: learned(answered, /offset.*(integer)/) && 3 }),
      (answered) => call("fs_write", `{"path": "b.txt", "content": "${learned(answered, /3\t(three)/)}`),
      (answered) =>
        call("fs_write", { path: "b.txt", content: learned(answered, /could not be read.*(string)/) && "three\n" })
    ),
    wanted: { "b.txt": "three\n" }
  },
  "one that talks instead of calling": {
    files: { "a.txt": "one\n" },
    model: inOrder(
      () => say({ text: 'I will look.\n```json\n{"name": "fs_read", "arguments": {"path": "a.txt"}}\n```' }),
      (answered) => call("fs_read", { path: learned(answered, /(in the way in which they were offered)/) && "a.txt" }),
      () => say({ text: "", reasoning: "I have read it, so what is next?" }),
      (answered) => call("fs_write", { path: "b.txt", content: learned(answered, /(Go on: call a tool)/) && "one\n" }),
      () => say({ text: "It is copied." })
    ),
    wanted: { "b.txt": "one\n" }
  },
  "one that copies paths carelessly": {
    files: { "Notes/It\u2019s\u00a0a plan.md": "the plan\n", "src/main.py": python },
    model: inOrder(
      () => call("fs_read", { path: '"notes/it\'s a plan.md"\n' }),
      (answered) => call("fs_read", { path: learned(answered, /1\t(the plan)/) && "src/mian.py" }),
      (answered) => call("fs_list", { path: learned(answered, /(no such file)/) && "SRC" }),
      (answered) => call("fs_read", { path: `src/${learned(answered, /^(main\.py) /m)}` }),
      () => call("fs_write", { path: "Notes/It's a plan.md", content: "done\n" }),
      (answered) => call("fs_write", { path: learned(answered, /there is (.*?) already/), content: "done\n" })
    ),
    wanted: { "Notes/It\u2019s\u00a0a plan.md": "done\n" }
  },
  "one that edits carelessly": {
    files: { "main.py": python, "win.txt": "a\r\nb\r\n" },
    model: inOrder(
      () => call("fs_edit", { path: "main.py", oldText: "return", newText: "yield" }),
      (answered) =>
        call("fs_edit", {
          path: "main.py",
          oldText: learned(answered, /occurs 3 times \(lines (3), 4, 7\)/) && "if w < 0:\n  return 0",
          newText: "if w < 0 or h < 0:\n  return 0"
        }),
      () =>
        call("fs_edit", {
          path: "main.py",
          oldText: "6\tdef twice(x):\n7\t    return x * 2",
          newText: "def twice(x):\n    return 2 * x"
        }),
      () => call("fs_edit", { path: "main.py", oldText: "def area(w, h):\n    if w > 0:", newText: "x" }),
      (answered) =>
        call("fs_edit", {
          path: "main.py",
          oldText: `    return ${learned(answered, /Line 2 is ".*(w) < 0/)} * h`,
          newText: "    return h * w"
        }),
      () => call("fs_edit", { path: "win.txt", oldText: "a\nb", newText: "a\nx\nb" })
    ),
    wanted: {
      "main.py": python.replace("if w < 0:", "if w < 0 or h < 0:").replace("x * 2", "2 * x").replace("w * h", "h * w"),
      "win.txt": "a\r\nx\r\nb\r\n"
    }
  }
}

describe("a careless model", () => {
  it.each(Object.entries(trials))("does its work by what it is answered: %s", async (_, { files, model, wanted }) => {
    using dir = new StateDir()
    const server = await Standin.start()
    const work = Path.join(dir.path, "work")
    for (const [name, text] of Object.entries(files)) {
      Fs.mkdirSync(Path.dirname(Path.join(work, name)), { recursive: true })
      Fs.writeFileSync(Path.join(work, name), text)
    }
    Fs.writeFileSync(Path.join(dir.path, "config.json"), JSON.stringify({ localModels: { url: server.url } }))
    try {
      using bin = new Bin(dir)
      bin.onFrame = (frame) => {
        if (frame.kind !== "event" || frame.type !== "approval_request") return
        bin.post("approval_response", { approvalId: frame.payload.approvalId, approved: true })
      }
      const sessionId = await bin.session(work)
      let stuck: unknown
      server.answer(({ body }, step) => {
        try {
          return model(String(body.messages.at(-1).content), step)
        } catch (error) {
          stuck = error
          return say({ text: "I am stuck." })
        }
      })
      const { payload } = await bin.request("send_message", { sessionId, text: "go" })
      if (stuck !== undefined) throw stuck
      assert.include(["reply", "finish"], (payload as { reason?: string }).reason, JSON.stringify(payload))
      await bin.end()
    } finally {
      await server.stop()
    }
    for (const [name, text] of Object.entries(wanted)) {
      assert.strictEqual(Fs.readFileSync(Path.join(work, name), "utf8"), text, name)
    }
  })
})
