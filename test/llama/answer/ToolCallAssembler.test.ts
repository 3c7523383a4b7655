import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as ToolCallAssembler from "../../../src/llama/answer/ToolCallAssembler.ts"

/** The calls after so many pieces of one call's arguments. */
const joined = (pieces: ReadonlyArray<string>) =>
  pieces.reduce<ReadonlyArray<ToolCallAssembler.CallDraft>>((calls, args, at) => {
    const name = at === 0 ? "fs_write" : undefined
    return ToolCallAssembler.join(calls, { index: 0, id: undefined, name, args }, (known) => known === "fs_write")
  }, [])

describe("ToolCallAssembler", () => {
  it("does not read all of the arguments again with each piece: a long file has many braces in it", () => {
    const text = JSON.stringify({ path: "a.css", content: "p {x: y} ".repeat(500) })
    const { parse } = JSON
    let parsed = 0
    JSON.parse = (...args) => {
      parsed++
      return parse(...args)
    }
    try {
      const [call] = joined(text.match(/[^]{1,3}/gu) ?? [])
      assert.deepStrictEqual(ToolCallAssembler.toArguments(call!, false), { _tag: "Parsed", value: parse(text) })
    } finally {
      JSON.parse = parse
    }
    assert.isAtMost(parsed, 3)
  })

  it("makes the same of any arguments however they are cut, and of what a server repeats of them at the end", () => {
    const args = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary", maxDepth: 3 }))
    fc.assert(
      fc.property(
        args,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        fc.boolean(),
        (value, sizes, again) => {
          const text = JSON.stringify(value)
          const pieces: Array<string> = []
          for (let at = 0; at < text.length; at += pieces.at(-1)!.length) {
            pieces.push(text.slice(at, at + sizes[pieces.length % sizes.length]!))
          }
          const calls = joined(again ? [...pieces, text] : pieces)
          assert.lengthOf(calls, 1)
          assert.deepStrictEqual(ToolCallAssembler.toArguments(calls[0]!, false), {
            _tag: "Parsed",
            value: JSON.parse(text)
          })
        }
      )
    )
  })
})
