import { assert, describe, it } from "@effect/vitest"
import { unstreamedText } from "../../src/host/SentTurn.ts"

describe("the part of a reply that has not been streamed", () => {
  const rows: ReadonlyArray<[streamed: string, reply: string, rest: string]> = [
    ["", "Hello", "Hello"],
    ["Hello", "Hello", ""],
    ["Hel", "Hello", "lo"],
    ["Hello\n", "Hello", ""],
    ["\n\nHello", "Hello", ""],
    ["\n\nHello ", "Hello world\n", " world"],
    ["  \n", "All steps are used up.", "All steps are used up."],
    ["One thing", "Another thing", "Another thing"],
    ["", "", ""],
    ["你好", "你好, 世界", ", 世界"]
  ]
  for (const [streamed, reply, rest] of rows) {
    it(`${JSON.stringify(rest)} after ${JSON.stringify(streamed)} of ${JSON.stringify(reply)}`, () => {
      assert.strictEqual(unstreamedText(streamed, reply), rest)
    })
  }
})
