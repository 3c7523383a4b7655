import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { parse } from "../../src/config/DotEnv.ts"

describe("DotEnv", () => {
  it.each([
    ["a plain value", "A=b", { A: "b" }],
    ["blanks around", "  A = b c  ", { A: "b c" }],
    ["nothing", "A=", { A: "" }],
    ["double quotes", `A=" b "`, { A: " b " }],
    ["single quotes", "A='b'", { A: "b" }],
    ["one pair of quotes only", `A='"b"'`, { A: `"b"` }],
    ["a quote that is not closed", `A="b`, { A: `"b` }],
    ["a comment after a value", "A=b # c", { A: "b" }],
    ["a comment after a quoted value", `A="b # c" # d`, { A: "b # c" }],
    ["a hash inside a value", "A=b#c", { A: "b#c" }],
    ["an equals sign inside a value", "A=b=c==", { A: "b=c==" }],
    ["only a comment as the value", "A= # c", { A: "" }],
    ["a shell's export", "export A=b", { A: "b" }],
    ["CRLF", "A=b\r\nC=d\r\n", { A: "b", C: "d" }],
    ["a byte order mark", "\uFEFFA=b", { A: "b" }],
    ["comments and blank lines", "# x\n\n   # y\nA=b\n \t\n", { A: "b" }],
    ["the last of two", "A=b\nA=c", { A: "c" }],
    ["no expansion and no escapes", String.raw`A=$HOME\n`, { A: String.raw`$HOME\n` }],
    ["an empty file", "", {}]
  ])("reads %s", (_, text, expected) => {
    const found = Result.getOrThrow(parse(text))
    assert.deepStrictEqual(Object.fromEntries([...found].map(([key, { value }]) => [key, value])), expected)
  })

  it("remembers the line of each", () => {
    const found = Result.getOrThrow(parse("# x\nA=b\n\nC=d"))
    assert.deepStrictEqual(
      [...found].map(([key, { line }]) => [key, line]),
      [
        ["A", 2],
        ["C", 4]
      ]
    )
  })

  it.each([
    ["no equals sign", "A=b\nsecret", 2],
    ["no key", "=b", 1],
    ["a key with a dash", "\n\nA-B=c", 3],
    ["a key that begins with a digit", "1A=b", 1]
  ])("tells only the number of a line with %s", (_, text, line) => {
    assert.deepStrictEqual(parse(text), Result.fail(line))
  })
})
