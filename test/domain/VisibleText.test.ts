import { assert, describe, it } from "@effect/vitest"
import { visibleLine, visibleText } from "../../src/domain/VisibleText.ts"

describe("a text that a person is shown", () => {
  const shown: ReadonlyArray<readonly [text: string, visible: string]> = [
    ["", ""],
    ["plain, é 你 👩‍👩‍👧 ✂️ سلام שלום नमस्ते\n\tx", "plain, é 你 👩‍👩‍👧 ✂️ سلام שלום नमस्ते\n\tx"],
    ["a\u001b[2Jb", "a\\u001b[2Jb"],
    ["safe\rrm -rf x", "safe\\u000drm -rf x"],
    ["a\b\b\u0007\u007f\u009bc", "a\\u0008\\u0008\\u0007\\u007f\\u009bc"],
    ["\u202eexe.txt\u202c", "\\u202eexe.txt\\u202c"],
    ["\u2066a\u2069\u200e\u200f\u061c", "\\u2066a\\u2069\\u200e\\u200f\\u061c"],
    ["l\u200bs\u2060\ufeff\u00ad\u3164", "l\\u200bs\\u2060\\ufeff\\u00ad\\u3164"],
    ["a\u2028b\u2029c\u0085", "a\\u2028b\\u2029c\\u0085"],
    ["a\u{e0041}\u{e007f}", "a\\u{e0041}\\u{e007f}"],
    ["a\r\nb\r\rc\r", "a\r\nb\\u000d\\u000dc\\u000d"],
    ["\0", "\\u0000"]
  ]
  it.each(shown)("%j is %j", (text, visible) => assert.strictEqual(visibleText(text), visible))

  it("keeps to one line where it must", () => {
    assert.strictEqual(visibleLine("a\nb\tc\r\n\u001b é"), "a\\u000ab\\u0009c\\u000d\\u000a\\u001b é")
  })
})
