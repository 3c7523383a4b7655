import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { TerminalText } from "../../src/process/TerminalText.ts"

const shown = (...pieces: ReadonlyArray<string>): string => {
  const text = new TerminalText()
  return pieces.map((piece) => text.push(piece)).join("") + text.end()
}

const esc = "\x1b"

const rows: ReadonlyArray<readonly [what: string, printed: string, shown: string]> = [
  ["plain text", "one\ntwo\n", "one\ntwo\n"],
  ["a last line without an end", "one\ntwo", "one\ntwo"],
  ["a progress bar", "10 %\r50 %\r100 %\ndone\n", "100 %\ndone\n"],
  ["a shorter text over a longer one", "downloading\rdone\n", "doneloading\n"],
  ["a shorter text that erases the rest", `downloading\r${esc}[Kdone\n`, "done\n"],
  ["a line that is erased whole", `downloading${esc}[2K\rdone\n`, "done\n"],
  ["the beginning of a line that is erased", `abc${esc}[1Kd\n`, "   d\n"],
  ["line ends of Windows", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["backspaces", "ab\b\bxy\n", "xy\n"],
  ["bold and underlined text of man", "N\bNA\bA _\ba\n", "NA a\n"],
  ["a spinner", "|\b/\b-\b\\\b done\n", " done\n"],
  ["colours", `${esc}[1;31mred${esc}[0m ${esc}[38;2;1;2;3mrgb${esc}[m\n`, "red rgb\n"],
  ["a link", `${esc}]8;;https://example.com${esc}\\text${esc}]8;;${esc}\\\n`, "text\n"],
  ["a title", `${esc}]0;title\x07text\n`, "text\n"],
  ["a string for the terminal", `${esc}Pq#0;2${esc}\\text\n`, "text\n"],
  ["charsets and keypads", `${esc}(B${esc}=text${esc}>\n`, "text\n"],
  ["controls of one byte", "\x9b31mred\x9b0m\n", "red\n"],
  ["movements in the line", `abc${esc}[2Dx${esc}[5Gy\n`, "axc y\n"],
  ["movements to other lines, which are left out", `one\ntwo${esc}[1A${esc}[2J${esc}[Hthree\n`, "one\ntwothree\n"],
  ["bells and zeros", "a\x07b\0c\x7f\n", "abc\n"],
  ["tabs", "a\tb\n", "a\tb\n"],
  ["pages", "a\fb\vc\n", "a\nb\nc\n"],
  ["characters of two units", "\u{1f600}\u{1f600}\rx\n", "x\u{1f600}\n"],
  ["marks on a character", "e\u0301e\u0301\rx\n", "xe\u0301\n"],
  ["a sequence that never ends, to the end of its line", `a${esc}]0;title\nb\n`, "a\nb\n"],
  ["a sequence that is cut off by the end", `a${esc}[3`, "a"],
  ["a sequence within a sequence", `${esc}[3${esc}[31mred\n`, "red\n"]
]

describe("what a terminal shows", () => {
  it.each(rows)("of %s", (_, printed, wanted) => {
    assert.strictEqual(shown(printed), wanted)
    assert.strictEqual(shown(...printed), wanted)
  })

  it("is the same however the output is cut", () => {
    const piece = fc.oneof(
      fc.constantFrom(...rows.map(([, printed]) => printed)),
      fc.constantFrom("\r", "\b", "\n", esc, `${esc}[K`, `${esc}]0;`, "\x07", "\u{1f600}", "e\u0301", "\x9b", "\t"),
      fc.string({ unit: "grapheme", maxLength: 5 })
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 8 }), (pieces, cuts) => {
        const characters = Array.from(pieces.join(""))
        const places = cuts.map((cut) => cut % (characters.length + 1)).toSorted((a, b) => a - b)
        const parts = [0, ...places].map((from, at) => characters.slice(from, places[at] ?? characters.length).join(""))
        assert.strictEqual(shown(...parts), shown(characters.join("")))
      }),
      { numRuns: 2000 }
    )
  })

  it("has no character that acts on a terminal", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...rows.map(([, printed]) => printed), esc, "\x9d", "\x18"), { maxLength: 6 }),
        (pieces) => {
          assert.notMatch(shown(...pieces), /[\p{Cc}--[\n\t]]/v)
        }
      )
    )
  })

  it("stays small for a line that never ends, and hides no end of it", () => {
    const text = new TerminalText()
    let length = 0
    for (let round = 0; round < 2000; round++) length += text.push("\rprogress ".repeat(200)).length
    assert.strictEqual(length, 0)
    assert.strictEqual(text.end(), "progress ")
    for (let round = 0; round < 200; round++) length += text.push("x".repeat(10_000)).length
    assert.strictEqual(length + text.end().length, 2_000_000)
  })
})
