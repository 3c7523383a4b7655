import { assert, describe, it } from "@effect/vitest"
import { redactSecrets } from "../../src/domain/RedactSecrets.ts"

describe("a secret in a text", () => {
  it.each([
    ["sk-secret", "Bearer sk-secret is no key, sk-secret!", "Bearer <api key> is no key, <api key>!"],
    ['a"b\\c<d>&', JSON.stringify({ key: 'a"b\\c<d>&' }), '{"key":"<api key>"}'],
    ['a"b\\c<d>&', "<p>a&quot;b\\c&lt;d&gt;&amp;</p>", "<p><api key></p>"],
    ["a+b/c==", "?key=a%2Bb%2Fc%3D%3D", "?key=<api key>"],
    ["sk-secret", "you gave sk-secre…", "you gave <api key>…"],
    ["sk-secret", "you gave sk-s…", "you gave <api key>…"],
    ["sk-secret", "you gave sk-…", "you gave sk-…"],
    ["a+b/c==", "?key=a%2Bb%2Fc%3…", "?key=<api key>…"],
    ['a"b<c', '<p>a&quot;b&lt;c, or a&#34;b&#x3c;c, or a"b&lt;c</p>', "<p><api key>, or <api key>, or <api key></p>"],
    ["a<b/c", "a\\u003cb\\/c", "<api key>"],
    ["sk-secret&more", "you gave sk-secret&am…", "you gave <api key>…"],
    ["aab", "aaab", "a<api key>"],
    ["sk-secret", "sk-secretsk-secret", "<api key><api key>"],
    ["sk-secret", "nothing of it", "nothing of it"]
  ])("%s: %j becomes %j", (key, text, redacted) => {
    assert.strictEqual(redactSecrets([key], "<api key>")(text), redacted)
  })

  it.each([
    ["a beginning", "it is sk-proj-8fJ2k", "it is <secret>"],
    ["an end", "…and MNoPqRsT9.", "…and <secret>."],
    ["a middle", "x=J2kLmNo4!", "x=<secret>!"],
    ["eight characters", "8fJ2kLmN", "<secret>"],
    ["the same twice", "8fJ2kLmN8fJ2kLmN", "<secret><secret>"],
    ["seven characters are none", "8fJ2kLm", "8fJ2kLm"],
    ["one wrong in the middle", "8fJ2kLmN_4MNoPqRsT", "<secret>_<secret>"],
    ["in lines of three", "sk-\npro\nj-8\nfJ2\nkLm\nNo4\nMNo\nPqR\nsT9\n", "<secret>\n"],
    ["in lines that end with CR LF", "sk-proj\r\n-8fJ2kL\r\n", "<secret>\r\n"],
    ["in colours", "\u001b[1msk-\u001b[31mproj-8f\u001b[0mJ2", "\u001b[1m<secret>"],
    ["in a terminal's title", "\u001b]0;sk-proj-8fJ2\u0007.", "\u001b]0;<secret>\u0007."],
    ["in a title over lines", "\u001b]0;\nK=8fJ2kLmN\n\u0007", "\u001b]0;\nK=<secret>\n\u0007"],
    ["in a link of a terminal", "\u001b]8;;file:///8fJ2kLmN\u001b\\x", "\u001b]8;;file:///<secret>\u001b\\x"],
    ["in the clipboard", "\u001b]52;c;8fJ2kLmN\u0007", "\u001b]52;c;<secret>\u0007"],
    ["round a title", "8fJ2\u001b]0;title\u0007kLmN", "<secret>"],
    ["in a title in JSON", '"\\u001b]0;8fJ2kLmN\\u0007"', '"\\u001b]0;<secret>\\u0007"'],
    ["with marks of no width", "8fJ2\u200bkLmN\ufeffo4", "<secret>"],
    ["written as a URL", "?k=%73k-%70roj-8", "?k=<secret>"],
    ["written as JSON", '{"k":"\\u0073k-pr\\x6fj-8"}', '{"k":"<secret>"}'],
    ["written as JSON, in lines", '"sk-pr\\noj-8fJ"', '"<secret>"'],
    ["written as HTML", "<b>s&#107;-pr&#x6F;j-8</b>", "<b><secret></b>"],
    ["of a URL in JSON in HTML", "%73k-pr&#x6F;j-\\u0038", "<secret>"],
    ["before a cut", "8fJ sk-proj…", "8fJ <secret>…"],
    ["before a cut of lines", "sk-p\n… (90 bytes left out) …\nT9", "<secret>\n… (90 bytes left out) …\nT9"],
    ["behind a cut", "s\n… (90 bytes left out) …\nRsT9 b", "s\n… (90 bytes left out) …\n<secret> b"]
  ])("is hidden in pieces: %s", (_, text, redacted) => {
    assert.strictEqual(redactSecrets(["sk-proj-8fJ2kLmNo4MNoPqRsT9"], "<secret>")(text), redacted)
  })

  it("does not hide what words it has, nor a row of one character", () => {
    const redact = redactSecrets(["sk-no-key-required", "Bearer Development-xxxxxxxxxxxx"], "<secret>")
    const innocent = "It is required for Development: --required, Bearer Dev, xxxxxxxxxx, a key of no worth"
    assert.strictEqual(redact(innocent), innocent)
    assert.strictEqual(redact("sk-no-key-required"), "<secret>")
    assert.strictEqual(redact("sk-no-key!"), "<secret>!")
  })

  it("hides nothing else where it is short", () => {
    const redact = redactSecrets(["local", "no-key"], "<secret>")
    assert.strictEqual(redact("a local model with no-key; locals"), "a <secret> model with <secret>; <secret>s")
    assert.strictEqual(redact("loca no-ke"), "loca no-ke")
  })

  it("is the longer of two that begin alike", () => {
    const redact = redactSecrets(["key-1", "key-1-long"], "<secret>")
    assert.strictEqual(redact("key-1-long key-1 key-1-"), "<secret> <secret> <secret>-")
  })

  it("is found in the percent-encoding of characters beyond ASCII", () => {
    const redact = redactSecrets(["schlüssel 🔑"], "<secret>")
    assert.strictEqual(redact(`x=${encodeURIComponent("schlüssel 🔑")}`), "x=<secret>")
  })

  it("cannot be hidden where there is none", () => {
    assert.strictEqual(redactSecrets([""], "<api key>")("anything…"), "anything…")
  })
})
