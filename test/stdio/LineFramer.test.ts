import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { headText } from "../../src/domain/HeadText.ts"
import * as LineFramer from "../../src/stdio/LineFramer.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** Everything that comes out of an input that arrives in the given pieces. */
const frame = (pieces: ReadonlyArray<Uint8Array>, maxLineBytes = 1024 * 1024): ReadonlyArray<LineFramer.Framed> => {
  let state = LineFramer.initial(maxLineBytes)
  const out: Array<LineFramer.Framed> = []
  for (const piece of pieces) {
    const [next, framed] = LineFramer.push(state, piece)
    state = next
    out.push(...framed)
  }
  return [...out, ...LineFramer.end(state)]
}

const oneByOne = (input: Uint8Array) => [...input].map((byte) => Uint8Array.of(byte))

const lines = (framed: ReadonlyArray<LineFramer.Framed>) =>
  framed.map((each) => (each._tag === "Line" ? each.text : `${each._tag} ${each.length}`))

describe("LineFramer", () => {
  it.each<readonly [string, Uint8Array, ReadonlyArray<string>]>([
    ["one line", bytes("a\n"), ["a"]],
    ["a last line without LF", bytes("a\nb"), ["a", "b"]],
    ["nothing", bytes(""), []],
    ["CRLF", bytes("a\r\nb\r\n"), ["a", "b"]],
    ["a bare CR inside a line", bytes("a\rb\n"), ["a\rb"]],
    ["blank lines and lines of white space", bytes("\n\n \t \n\r\na\n\n"), ["a"]],
    ["a byte order mark at the very start", bytes("\uFEFFa\nb\n"), ["a", "b"]],
    ["a byte order mark on the second line", bytes("a\n\uFEFFb\n"), ["a", "\uFEFFb"]],
    ["a byte order mark alone", bytes("\uFEFF\na\n"), ["a"]],
    ["U+2028, U+2029 and U+0085", bytes("a\u2028b\u2029c\u0085d\n"), ["a\u2028b\u2029c\u0085d"]],
    ["CJK, Arabic and emoji sequences", bytes("日本語 العربية 👩‍👩‍👧‍👦 é\n"), ["日本語 العربية 👩‍👩‍👧‍👦 é"]],
    ["a NUL", bytes("a\0b\n"), ["a\0b"]],
    [
      "a line that is not UTF-8, between others",
      Uint8Array.of(97, 10, 0xff, 0x41, 10, 98, 10),
      ["a", "NotUtf8 2", "b"]
    ],
    ["half a character at the end", Uint8Array.of(0xe6, 0x97), ["NotUtf8 2"]]
  ])("reads %s, whole and byte by byte", (_name, input, expected) => {
    assert.deepStrictEqual(lines(frame([input])), expected)
    assert.deepStrictEqual(lines(frame(oneByOne(input))), expected)
  })

  it("measures a line that is too long, keeps its head and goes on with the next", () => {
    const input = bytes(`ok\n${"x".repeat(5000)}日\n{"next":1}\n`)
    for (const pieces of [[input], oneByOne(input)]) {
      const framed = frame(pieces, 100)
      assert.deepStrictEqual(lines(framed), ["ok", "TooLong 5003", '{"next":1}'])
      assert.deepInclude(framed[1], { head: `${"x".repeat(5000)}日` })
    }
  })

  it("lets a line of exactly the limit pass and stops the one that is a byte longer", () => {
    assert.deepStrictEqual(lines(frame([bytes(`${"x".repeat(100)}\n${"y".repeat(101)}\n`)], 100)), [
      "x".repeat(100),
      "TooLong 101"
    ])
  })

  it("keeps no more than the limit and one head of a line without an end", () => {
    let state = LineFramer.initial(64 * 1024)
    for (let index = 0; index < 1000; index++) [state] = LineFramer.push(state, new Uint8Array(10_000).fill(97))
    assert.strictEqual(state.length, 10_000_000)
    const kept = state.parts.reduce((sum, part) => sum + part.length, 0)
    assert.isAtMost(kept, 64 * 1024)
  })

  it("does not cut the head of a bad line inside a character", () => {
    for (const pad of [0, 1, 2, 3]) {
      const text = "x".repeat(LineFramer.headBytes - pad) + "👩‍👩"
      assert.notInclude(headText(bytes(text), LineFramer.headBytes), "\uFFFD")
    }
  })

  it("says the same however the input is cut", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }).map((text) => bytes(text.replaceAll("\n", " "))),
      fc.uint8Array({ maxLength: 20 }).map((raw) => raw.map((byte) => (byte === 10 ? 11 : byte)))
    )
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 30 })), (all, sizes) => {
        const input = Uint8Array.from(all.flatMap((each) => [...each, 10]))
        const pieces: Array<Uint8Array> = []
        for (let start = 0, index = 0; start < input.length; index++) {
          const size = sizes[index % Math.max(1, sizes.length)] ?? 7
          pieces.push(input.subarray(start, start + size))
          start += size
        }
        assert.deepStrictEqual(frame(pieces, 32), frame([input], 32))
      }),
      { numRuns: 2000 }
    )
  })
})
