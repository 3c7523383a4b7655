import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { TerminalText } from "../../src/process/TerminalText.ts"

const shown = (...pieces: ReadonlyArray<string>): string => {
  const terminal = new TerminalText()
  return pieces.map((piece) => terminal.push(piece)).join("") + terminal.end()
}

const cases: ReadonlyArray<readonly [what: string, written: string, shown: string]> = [
  ["plain lines", "one\ntwo\n", "one\ntwo\n"],
  ["a line without an end", "one\ntwo", "one\ntwo"],
  ["nothing", "", ""],
  ["blanks at the ends of lines", "a  \n\t\n b\t", "a  \n\t\n b\t"],
  ["line ends of Windows", "a\r\nb\r\n", "a\nb\n"],
  ["several returns before a line break", "a\r\r\nb", "a\nb"],
  ["a bar that starts anew", "10 %\r50 %\r100 %\ndone\n", "100 %\ndone\n"],
  ["a return at the end", "100 %\r", "100 %"],
  ["a shorter text over a longer one", "loading\rdone", "doneing"],
  ["blanks over a longer one", "loading\r       \rdone", "done   "],
  ["bold as a manual writes it", "N\bNA\bAM\bME\bE", "NAME"],
  ["underlined as a manual writes it", "_\bf_\bi_\bl_\be", "file"],
  ["a spinner", "-\b\\\b|\b/\bok", "ok"],
  ["a backspace that nothing follows", "ab\b", "ab"],
  ["more backspaces than characters", "a\b\b\bb", "b"],
  ["colours", "\x1b[1;31merror\x1b[0m: \x1b[38;2;1;2;3mno\x1b[m", "error: no"],
  ["colours with colons", "\x1b[4:3mcurly\x1b[24m", "curly"],
  ["erasing to the end of the line", "loading\r\x1b[Kok", "ok"],
  ["erasing the line", "loading\x1b[2K\rok", "ok"],
  ["erasing the line, then going on in the same column", "ab\x1b[2Kc", "  c"],
  ["erasing up to the cursor", "abc\x1b[2D\x1b[1K", "  c"],
  ["erasing below", "loading\r\x1b[Jok", "ok"],
  ["a column by its number", "loading\x1b[1G\x1b[0Kok\x1b[5Gx", "ok  x"],
  ["left and right", "abc\x1b[2Dx\x1b[Cy", "axcy"],
  ["beyond the end", "\x1b[3Cx", "   x"],
  ["movements between lines", "a\x1b[2A\x1b[Bb\x1b[H\x1b[2Jc\x1b[3;4Hd", "abcd"],
  ["a hidden cursor and other modes", "\x1b[?25la\x1b[?2004hb\x1b[!pc\x1b[>4;2md", "abcd"],
  ["a private sequence that only looks like erasing", "ab\r\x1b[?K", "ab"],
  ["a hyperlink", "\x1b]8;;https://example.com\x1b\\text\x1b]8;;\x1b\\ more", "text more"],
  ["a title ended by BEL", "\x1b]0;title\x07text", "text"],
  ["a title ended by an ST of one character", "\x1b]0;title\x9ctext", "text"],
  [
    "a device string and a program command",
    "\x1bP1$r0m\x1b\\a\x1b_Gf=100;AAAA\x1b\\b\x1b^x\x1b\\c\x1bXy\x1b\\d",
    "abcd"
  ],
  ["single escapes", "\x1b7a\x1b8\x1b=b\x1b>\x1bMc\x1bcd", "abcd"],
  ["character sets", "\x1b(Ba\x1b)0b\x1b%Gc", "abc"],
  ["sequences that begin with one character", "\x9b31ma\x9b0mb\x9d0;title\x9cc\x90q\x9cd", "abcd"],
  ["other controls", "a\0\x01\x05\x07\x0e\x0fb\x7f\x84c", "abc"],
  ["vertical tab and form feed", "a\vb\fc", "a\nb\nc"],
  ["a string that nobody ends", "\x1b]0;title\nnext", "\nnext"],
  ["a string that is cancelled", "\x1b]0;title\x18next", "next"],
  ["a sequence that a line break cuts", "\x1b[31\nnext", "\nnext"],
  ["a sequence that is none", "\x1b[31é\x1bé", "éé"],
  ["a sequence in a sequence", "\x1b[3\x1b[1mx\x1b\x1b[0m", "x"],
  ["an escape at the end", "text\x1b", "text"],
  ["half a sequence at the end", "text\x1b[3", "text"],
  ["wide characters over narrow ones", "abcd\r語x", "語xd"],
  ["a narrow character over half of a wide one", "語語\rx", "x 語"],
  ["a narrow character over the other half", "語語\x1b[2Gx", " x語"],
  ["a wide character over two halves", "語語\x1b[2G字", " 字 "],
  ["emoji", "🚀 go\rok", "ok go"],
  ["accents that follow their letters", "e\u0301a\rx", "xa"],
  ["an accent for what has been written over", "ab\re\u0301", "e\u0301b"],
  ["an accent on nothing", "\u0301a", "\u0301a"],
  ["more accents than a letter can have", `e${"\u0301".repeat(99)}`, `e${"\u0301".repeat(99)}`],
  ["joined emoji", "👨‍👩‍👧 family", "👨‍👩‍👧 family"],
  ["tabs in what is not written over", "a\tb\tc", "a\tb\tc"],
  ["a tab over text only moves", "123456789012\r\tx", "12345678x012"],
  ["a tab beyond the text", "123\r\tx", "123     x"],
  ["text over a tab", "\tx\rab", "ab      x"],
  ["text over the middle of a tab", "\tx\x1b[3Gab", "  ab    x"],
  ["erasing half of a tab", "\tx\x1b[3G\x1b[Ky", "  y"]
]

describe("text as a terminal shows it", () => {
  for (const [what, written, expected] of cases) {
    it(what, () => {
      assert.strictEqual(shown(written), expected)
    })
  }

  const piece = fc.oneof(
    fc.constantFrom(
      "\r",
      "\n",
      "\r\n",
      "\b",
      "\t",
      "\x1b",
      "\x1b[",
      "\x1b]8;;x",
      "\x1b\\",
      "\x1b[K",
      "\x1b[1G",
      "\x9c",
      "\0"
    ),
    fc.constantFrom(
      "\x1b[2K",
      "\x1b[1K",
      "\x1b[5C",
      "\x1b[2D",
      "\x1b[31m",
      "語",
      "🚀",
      "\u0301",
      "\u0301".repeat(40),
      "\x1bP",
      "x".repeat(5000),
      "y".repeat(2048)
    ),
    fc.string({ maxLength: 12 }),
    fc.string({ maxLength: 12, unit: "binary" })
  )
  const written = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("").toWellFormed())

  it("is the same however the text is cut", () => {
    fc.assert(
      fc.property(written, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (text, lengths) => {
        const characters = [...text]
        const pieces: Array<string> = []
        for (let at = 0, turn = 0; at < characters.length; turn++) {
          const length = lengths[turn % lengths.length] ?? 1
          pieces.push(characters.slice(at, at + length).join(""))
          at += length
        }
        assert.strictEqual(shown(...pieces), shown(text))
      }),
      { numRuns: 500 }
    )
  })

  it("has no controls but tabs and line breaks, and shown once more it is the same", () => {
    fc.assert(
      fc.property(written, (text) => {
        const once = shown(text)
        assert.notMatch(once, /[\p{Cc}--[\t\n]]/v)
        assert.strictEqual(shown(once), once)
      }),
      { numRuns: 500 }
    )
  })

  it("is what was written where a terminal has nothing to obey", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        assert.strictEqual(shown(text), text)
      })
    )
  })

  it("can be written over behind the last multiple of 2048 columns", () => {
    const long = "x".repeat(2048)
    assert.strictEqual(shown(`${long}\ry`), `y${"x".repeat(2047)}`)
    assert.strictEqual(shown(`${long}xx\ry`), `${long}yx`)
    assert.strictEqual(shown(`${long}${long}xx\ry\nz`), `${long}${long}yx\nz`)
  })

  it("needs no more memory for a line without an end than for a short one", () => {
    const endless = [
      (turn: number) => `\r${turn} of many`,
      () => "x".repeat(1000),
      () => "\u0301".repeat(1000),
      () => "\x1b[999999999C",
      () => "\x1b[" + "1;".repeat(500),
      () => "\x1b]0;" + "t".repeat(1000)
    ]
    for (const next of endless) {
      const terminal = new TerminalText()
      for (let turn = 0; turn < 3000; turn++) terminal.push(next(turn))
      assert.isAtMost(terminal.end().length, 2048 * 32)
    }
  })
})
