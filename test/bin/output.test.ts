import { Buffer } from "node:buffer"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { say } from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../support/Bin.ts"

/** The results of calls that one answer makes, by the real bin. */
const resultsOf = async (calls: ReadonlyArray<{ readonly name: string; readonly arguments: object }>) => {
  const server = await LlamaServer.start({
    answer: (_, index) => (index === 0 ? say({ toolCalls: calls }) : say({ text: "Done." }))
  })
  try {
    using dir = new StateDir({ localModels: { url: server.url }, agent: { approvalLevel: 5 } })
    const work = Path.join(dir.path, "work")
    Fs.mkdirSync(work)
    Fs.writeFileSync(Path.join(work, "a.txt"), Buffer.from("\uFEFFneedle\n", "utf16le"))
    using bin = new Bin(dir)
    const sessionId = await bin.session(work)
    const residentMiB = () => (process.platform === "linux" ? bin.residentMiB : 0)
    const before = residentMiB()
    await bin.request("send_message", { sessionId, text: "go" })
    const grownMiB = residentMiB() - before
    const results = bin.frames.flatMap((frame) =>
      frame.kind === "event" && frame.type === "tool_call_result" ? [frame.payload] : []
    )
    await bin.end()
    return { results, grownMiB }
  } finally {
    await server.stop()
  }
}

describe("what commands and searches say, over the real bin", () => {
  it("is what stands on a terminal after a hundred megabytes of progress", async () => {
    const bar = `yes "$(printf '\\r[=======>      ] 50 %%')" | tr -d '\\n' | head -c 100000000`
    const { grownMiB, results } = await resultsOf([
      {
        name: "shell.run",
        arguments: { command: `echo begin; ${bar}; printf '\\r\\033[K\\033[32mready\\033[0m\\n'; echo end` }
      }
    ])
    assert.strictEqual(results[0]?.summary, "exit code 0\nbegin\nready\nend")
    assert.isUndefined(results[0]?.truncated)
    assert.isBelow(grownMiB, 60)
  })

  it("names the editor that is not there, and the file that was not searched", async () => {
    const { results } = await resultsOf([
      {
        name: "shell.run",
        arguments: { command: "git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty" }
      },
      { name: "fs.grep", arguments: { pattern: "needle" } },
      { name: "fs.grep", arguments: { pattern: "needle", path: "a.txt" } }
    ])
    assert.include(results[0]?.summary, "no-editor-set-GIT_EDITOR")
    // These two run side by side.
    assert.sameMembers(
      results.slice(1).map(({ summary }) => summary),
      [
        "No matches for needle.\n(left out: a.txt (UTF-16 text or binary data))",
        "a.txt is not text: UTF-16 text or binary data, 16 bytes"
      ]
    )
  })
})
