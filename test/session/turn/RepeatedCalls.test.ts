import { assert, describe, it } from "@effect/vitest"
import type { ToolCall } from "../../../src/domain/ToolCall.ts"
import { CallId } from "../../../src/protocol/Ids.ts"
import { RepeatedCalls } from "../../../src/session/turn/RepeatedCalls.ts"

const call = (tool: string): ToolCall => ({
  callId: CallId.make("c-1"),
  tool,
  args: { _tag: "Parsed", value: { a: 1 } }
})

/** Makes calls of one letter each, with the number behind it as the result; a refused one is shown as `!`. */
const played = (calls: string): string => {
  const repeated = new RepeatedCalls()
  const made = calls.split(" ").map((each) => {
    const [tool = "", summary = ""] = each
    const isRefused = repeated.refusalOf(call(tool)) !== undefined
    repeated.remember(call(tool), { status: "ok", summary: isRefused ? "refused" : summary, truncated: false })
    return isRefused ? "!" : tool
  })
  return made.join("")
}

describe("RepeatedCalls", () => {
  it.each([
    ["a call that gives the same five times", "a1 a1 a1 a1 a1 a1", "aaaa!!"],
    ["a call with news", "a1 a1 a1 a2 a2 a2 a2 a2", "aaaaaaa!"],
    ["a call after another one", "a1 a1 a1 a1 a1 b1 a1 a1", "aaaa!baa"],
    ["two calls in turn", "a1 b1 a1 b1 a1 b1 a1 b1 a1 b1 a1", "abababab!!!"],
    ["two calls in turn, then another one", "a1 b1 a1 b1 a1 b1 a1 b1 a1 c1 a1 b1", "abababab!cab"],
    ["two calls in turn, one with news", "a1 b1 a1 b2 a1 b3 a1 b4 a1 b5 a1 b6", "abababababab"],
    ["two calls in turn, news at last", "a1 b1 a1 b1 a1 b1 a1 b2 a1 b2 a1 b2 a1 b2 a1", "ababababababab!"],
    ["a call that becomes two in turn", "a1 a1 a1 b1 a1 b1 a1 b1 a1 b1 a1", "aaabababab!"],
    ["three calls in turn", "a1 b1 c1 a1 b1 c1 a1 b1 c1 a1 b1 c1 a1", "abcabcabcabca"]
  ])("%s", (_, calls, made) => {
    assert.strictEqual(played(calls), made)
  })

  it("tells whether one call repeats, or two", () => {
    const repeated = new RepeatedCalls()
    const result = { status: "ok", summary: "", truncated: false } as const
    for (let at = 0; at < 4; at += 1) repeated.remember(call("a"), result)
    assert.include(repeated.refusalOf(call("a")) ?? "", "the last 4 calls were this same one")
    for (let at = 0; at < 4; at += 1) for (const tool of ["b", "a"]) repeated.remember(call(tool), result)
    assert.include(repeated.refusalOf(call("b")) ?? "", "the last 8 calls were these same two")
  })
})
