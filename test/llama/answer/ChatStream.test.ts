import { assert, describe, it } from "@effect/vitest"
import * as ChatStream from "../../../src/llama/answer/ChatStream.ts"
import { call, delta, event, more, named, reasoning, stop, text } from "../dialects/Row.ts"

describe("a sign of life", () => {
  const rows: ReadonlyArray<readonly [what: string, read: string, alive: boolean]> = [
    ["a word", text("Hi"), true],
    ["a piece of a call", call({ index: 0 }), true],
    ["a role", delta({ role: "assistant", content: null }), true],
    ["how much of the prompt is read", event({ prompt_progress: { total: 9, cache: 2, processed: 2 } }), true],
    ["a reason", stop, true],
    ["numbers", event({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } }), true],
    ["a comment", ":\n\n: ping\n\n", false],
    ["blank data", "data:\n\ndata: \n\n", false],
    ["half an event", text("Hi").slice(0, 30), false],
    ["a ping that is an event", 'event: ping\ndata: {"type":"ping"}\n\n', false],
    ["an event of nothing", event({}) + event(null) + event(7), false],
    ["a ping and a word", `${event({ type: "ping" })}${text("Hi")}`, true]
  ]
  for (const [what, read, alive] of rows) {
    it(`${alive ? "is" : "is not"} ${what}`, () => {
      assert.strictEqual(ChatStream.push(ChatStream.start([]), Buffer.from(read)).alive, alive)
    })
  }
})

describe("an answer that does not end", () => {
  const megabyte = "x".repeat(1024 * 1024)
  const rows: ReadonlyArray<readonly [what: string, first: string, again: (at: number) => string, times: number]> = [
    ["text", "", () => text(megabyte), 16],
    ["reasoning", "", () => reasoning(megabyte), 16],
    ["text and reasoning", "", () => text(megabyte) + reasoning(megabyte), 8],
    ["white space", "", () => text(" ".repeat(1024 * 1024)), 16],
    ["arguments", named("fs_write", ""), () => more(megabyte), 15],
    ["arguments that are no text", "", (at) => named("fs_write", { path: megabyte }, { index: at }), 15],
    ["a name", named("fs_write", ""), () => named(megabyte, ""), 15],
    ["calls", "", (at) => named("fs_list", "{}", { index: at, id: `${at}` }), 1000]
  ]
  for (const [what, first, again, times] of rows) {
    it(`of ${what} fails`, () => {
      let step = ChatStream.push(ChatStream.start([]), Buffer.from(first))
      for (let at = 0; at < times; at += 1) {
        assert.isUndefined(step.end, `${at}`)
        step = ChatStream.push(step.state, Buffer.from(again(at)))
      }
      const { end } = ChatStream.push(step.state, Buffer.from(again(times)))
      assert.strictEqual(end?._tag === "Failed" ? end.reason._tag : end?._tag, "Rejected")
      assert.match(
        end?._tag === "Failed" ? end.reason.message : "",
        /^the answer has more than \d+ (characters|tool calls)$/
      )
    })
  }
})
