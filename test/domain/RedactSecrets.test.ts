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
