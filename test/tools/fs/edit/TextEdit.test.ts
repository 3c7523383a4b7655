import { assert, describe, it } from "@effect/vitest"
import { applyEdit } from "../../../../src/tools/fs/edit/TextEdit.ts"

const edit = (text: string, oldText: string, newText: string, replaceAll = false) => {
  const edited = applyEdit(text, { oldText, newText, replaceAll })
  return edited._tag === "Edited" ? edited.text : edited.why
}

describe("an edit", () => {
  it("replaces what occurs once, to the character", () => {
    assert.strictEqual(edit("a\n  b\nc\n", "  b\n", "\tB\n"), "a\n\tB\nc\n")
    assert.strictEqual(edit("price: 5", "5", "$& $1 $$"), "price: $& $1 $$")
    assert.strictEqual(edit("\uFEFFa", "a", "b"), "\uFEFFb")
    assert.strictEqual(edit("abc", "b", ""), "ac")
  })

  it("says how often and where a text occurs that should occur once", () => {
    assert.include(edit("x\ny\nx\n\nx", "x", "z"), "occurs 3 times (lines 1, 3, 5)")
    assert.include(edit("\n\n\n", "\n\n", "\n"), "occurs 2 times")
    assert.include(
      edit("x\n".repeat(100), "x", "z"),
      "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, …)"
    )
  })

  it("replaces all where all are meant", () => {
    assert.strictEqual(edit("x\ny\nx\n", "x", "xx", true), "xx\ny\nxx\n")
    assert.strictEqual(edit("aaa", "aa", "b", true), "ba")
    assert.deepStrictEqual(applyEdit("x\ny\nx\n", { oldText: "x", newText: "z", replaceAll: true }), {
      _tag: "Edited",
      text: "z\ny\nz\n",
      lines: [1, 3]
    })
  })

  it("says that a text does not occur, and where its first line stands", () => {
    assert.include(edit("a\n  b\n  c\n", "b\nx", "z"), "does not occur, but its first line is like line 2")
    assert.include(edit("a", "q", "z"), "does not occur; nor does its first line")
  })

  it("changes nothing where both texts are the same, and refuses what has no place", () => {
    assert.strictEqual(edit("a", "a", "a"), "a")
    assert.include(edit("b", "a", "a"), "does not occur")
    assert.include(edit("a", "", "b"), "empty")
    assert.include(edit("a", "", "b", true), "empty")
  })

  it("finds text in a file with CRLF that was shown without, and keeps its line ends", () => {
    assert.strictEqual(edit("a\r\nb\r\nc\r\n", "a\nb", "A\nx\nB"), "A\r\nx\r\nB\r\nc\r\n")
    assert.strictEqual(edit("a\r\nb\r\n", "a\r\n", "A\n"), "A\nb\r\n")
    assert.strictEqual(edit("a\r\nb\n", "b\n", "B\n"), "a\r\nB\n")
  })

  it("gives up on what occurs without end", () => {
    assert.include(edit("a".repeat(300_000), "a", "b", true), "more than 100000 times")
  })

  it("ends soon, whatever the texts are", () => {
    const text = `${"a".repeat(2_000_000)}b`
    assert.include(edit(text, `${"a".repeat(100_000)}c`, "x"), "does not occur")
  })
})
