import { assert, describe, it } from "@effect/vitest"
import * as ReplyReader from "../../src/llama/ReplyReader.ts"
import { call, delta, event, stop, text } from "./dialects/Row.ts"

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
      assert.strictEqual(ReplyReader.push(ReplyReader.start([]), Buffer.from(read)).alive, alive)
    })
  }
})
