import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { SeededRandom } from "../../../../src/testing/SeededRandom.ts"
import { applyEdit } from "../../../../src/tools/fs/edit/TextEdit.ts"
import { corpus } from "./corpus.ts"

describe("an edit as a small model asks for it", () => {
  it.each(corpus)("%s", (_, text, oldText, newText, wanted) => {
    const edited = applyEdit(text, { oldText, newText, replaceAll: false })
    if (typeof wanted === "string") {
      assert.strictEqual(edited._tag === "Edited" ? edited.text : edited.why, wanted)
    } else assert.match(edited._tag === "Failed" ? edited.why : `done: ${JSON.stringify(edited.text)}`, wanted)
  })
})

/** Ways in which what a model copies differs from the file; the new text differs in the same way. */
const slips: { readonly [name: string]: (text: string) => string } = {
  CRLF: (text) => text.replaceAll("\n", "\r\n"),
  "no trailing blanks": (text) => text.replaceAll(/[ \t]+$/gm, ""),
  "trailing blanks": (text) => text.replaceAll(/$/gm, "  "),
  "curly quotes": (text) => text.replaceAll('"', "\u201d").replaceAll("'", "\u2019"),
  dashes: (text) => text.replaceAll("-", "\u2013"),
  "spaces that do not break": (text) => text.replaceAll(" ", "\u00a0"),
  "further in": (text) => text.replaceAll(/^(?=.)/gm, "   "),
  "further out": (text) => (/^(?! {2})./m.test(text) ? text : text.replaceAll(/^ {2}/gm, "")),
  tabs: (text) => text.replaceAll(/^(?: {2})+/gm, (blanks) => "\t".repeat(blanks.length / 2)),
  "steps of four": (text) => text.replaceAll(/^ +/gm, (blanks) => blanks + blanks),
  "single blanks": (text) => text.replaceAll(/(?<=\S) {2,}/g, " "),
  "double blanks": (text) => text.replaceAll(/(?<=\S) (?=\S)/g, "  ")
}

describe("an edit of a real file whose old text was copied badly", () => {
  const folder = new URL("../../../../src/tools/", import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
  const runs = 4000

  it("is the one that was meant, or is refused", () => {
    const random = new SeededRandom(1)
    const count = { right: 0, refused: 0, wrong: 0 }
    const texts = files.map((name) => readFileSync(new URL(name, folder), "utf8"))
    for (let run = 0; run < runs; run++) {
      const text = random.pick(texts)
      const lines = text.split("\n")
      const from = random.integer(0, lines.length - 2)
      const size = random.integer(1, 6)
      const oldText = lines.slice(from, from + size).join("\n")
      if (oldText.trim() === "") continue
      const changed = random.integer(0, size - 1)
      const newText = oldText
        .split("\n")
        .flatMap((line, at) =>
          at !== changed
            ? [line]
            : random.pick([[`${line} x`], [line, `${line} x`], [line.replace(/^( *)/, `$1x${run} `)]])
        )
        .join("\n")
      const meant = applyEdit(text, { oldText, newText, replaceAll: false })
      if (meant._tag === "Failed") continue
      const name = random.pick(Object.keys(slips))
      const slip = slips[name]!
      // The slip must be one of the old text, or only the new one has it.
      if (slip(oldText) === oldText || oldText.split("\n")[changed]?.trim() === "") continue
      // What is there to the letter, as lines or from a word on, is replaced to the letter.
      if (/^\S/.test(slip(oldText)) && text.includes(slip(oldText))) continue
      if (`\n${text}`.includes(`\n${slip(oldText)}`)) continue
      const edited = applyEdit(text, { oldText: slip(oldText), newText: slip(newText), replaceAll: false })
      if (edited._tag === "Failed") count.refused++
      else if (plain(edited.text) === plain(meant.text)) count.right++
      else {
        count.wrong++
        assert.fail(`${name}:\n${oldText}\n→\n${newText}\n=\n${edited.text.slice(0, 2000)}`)
      }
    }
    assert.strictEqual(count.wrong, 0)
    assert.isAbove(count.right, count.refused)
  })
})

/** What was added keeps the look of its own slip where nothing in the file says otherwise: blanks and quotes. */
const plain = (text: string): string =>
  text
    .replaceAll("\u201d", '"')
    .replaceAll("\u2019", "'")
    .replaceAll("\u2013", "-")
    .replaceAll("\u00a0", " ")
    .replaceAll(/(?<=\S)[ \t]+/g, " ")
    .replaceAll(/ +$/gm, "")
