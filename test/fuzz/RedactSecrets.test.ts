import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { redactSecrets } from "../../src/domain/RedactSecrets.ts"
import { fragmentsIn } from "../support/Fragments.ts"
import { holds, patience, text } from "./holds.ts"

const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** Keys as they are given out: of many letters, with signs between, in hexadecimal digits, with what must be escaped. */
const key = fc
  .tuple(
    fc.constantFrom("", "sk-", "sk-proj-", "ghp_"),
    fc.oneof(
      fc.string({ unit: fc.constantFrom(...characters), minLength: 16, maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(...characters, ..."-_.+/=~"), minLength: 16, maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 32, maxLength: 64 }),
      fc.string({ unit: fc.constantFrom(...characters, ..."\"\\<>&%'$`"), minLength: 16, maxLength: 40 })
    )
  )
  .map(([prefix, rest]) => prefix + rest)
  // Nothing is promised of a plain word, or of a row of one character.
  .filter((made) => !/(.)\1{7}/.test(made))
  .filter((made) => !/(?<![A-Za-z\d])(?:[a-z]{7,14}|[A-Z]{7,14}|[A-Z][a-z]{6,13})(?![A-Za-z\d])/.test(made))

const hex = (char: string, digits: number) => char.charCodeAt(0).toString(16).padStart(digits, "0")
const each = (write: (char: string) => string) => (fragment: string) => Array.from(fragment, write).join("")
const entities: { readonly [char: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Ways to write a piece of a key that are recognised. */
const ways: { readonly [name: string]: (fragment: string) => string } = {
  "as it is": (fragment) => fragment,
  "in JSON": (fragment) => JSON.stringify(fragment).slice(1, -1),
  "in JSON, escaped": each((char) => `\\u${hex(char, 4)}`),
  "in a URL": encodeURIComponent,
  "in a URL, escaped": each((char) => `%${hex(char, 2)}`),
  "in HTML": (fragment) => fragment.replaceAll(/[&<>"]/g, (char) => entities[char] ?? char),
  "in HTML, escaped": each((char) => `&#x${hex(char, 2)};`),
  "in a URL in JSON": (fragment) => JSON.stringify(encodeURIComponent(fragment)).slice(1, -1)
}

/** What a program or a terminal puts between characters. */
const between = fc.constantFrom("", "", "\n", "\r\n", "\u001b[1;31m", "\u0007", "\u200b", "\u001b]0;title\u0007")

const piece = fc.record({
  from: fc.nat(),
  length: fc.nat(),
  way: fc.constantFrom(...Object.keys(ways)),
  width: fc.integer({ min: 1, max: 12 }),
  between
})

/** Other text, which has no letter that a key may have. */
const other = fc.string({ unit: fc.constantFrom(..." \n日é,;:()[]{}|\t…"), maxLength: 12 })

const undone = (shown: string): ReadonlyArray<string> => [
  shown,
  shown.replaceAll(/\\u([\da-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  shown.replaceAll(/\\(.)/g, "$1"),
  shown.replaceAll(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  shown.replaceAll(/&#x([\da-f]+);/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
]

describe("a key in a text", { timeout: patience }, () => {
  it("shows no piece of eight characters, however it is cut and written", () =>
    holds(
      fc.tuple(key, fc.array(fc.tuple(other, piece), { minLength: 1, maxLength: 5 }), other),
      ([key, pieces, end]) => {
        const texts = pieces.map(([before, { between, from, length, way, width }]) => {
          const start = from % (key.length - 7)
          const fragment = key.slice(start, start + 8 + (length % (key.length - start - 7)))
          const lines = way === "as it is" ? (fragment.match(new RegExp(`[^]{1,${width}}`, "g")) ?? []) : [fragment]
          return before + lines.map((line) => ways[way]!(line)).join(between)
        })
        const shown = redactSecrets([key], "<secret>")(texts.join(" ") + end)
        assert.include(shown, "<secret>")
        for (const reading of undone(shown)) assert.deepStrictEqual(fragmentsIn(reading, key), [], shown)
        // Nothing but pieces is taken away.
        const kept = (text: string) => text.replaceAll(/[^日é,:()[\]{}|\t]/g, "")
        const others = [...pieces.map(([before]) => before), end].join("")
        assert.strictEqual(kept(shown.replaceAll("<secret>", "")).length >= kept(others).length, true)
      }
    ))

  it("changes no text that has no piece of it", () =>
    holds(fc.tuple(key, text), ([key, text]) => {
      if (fragmentsIn(text, key).length > 0) return
      assert.strictEqual(redactSecrets([key], "<secret>")(text), text)
    }))

  it("is hidden in the time of some readings, whatever the text", () => {
    const key = "sk-proj-8fJ2kLmN0pQrStUvWxYz1234567890abcdefGHIJKL"
    const redact = redactSecrets([key, "0".repeat(80), `${"ab".repeat(40)}1`], "<secret>")
    const size = 1 << 20
    const unit = [
      key,
      key.slice(0, 7),
      "sk-p…",
      "0",
      "ab",
      "%41",
      "\\u0041",
      "&#65;",
      "&#x",
      "\u001b]",
      "\u001b[0",
      "\\",
      "…",
      "\n"
    ]
    for (const each of unit) {
      const shown = redact(each.repeat(Math.ceil(size / each.length)))
      assert.notInclude(shown, key.slice(0, 8))
    }
  })
})
