import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { redactKey } from "../../src/llama/RedactKey.ts"

describe("the API key in what a server says", () => {
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
  ])("%s: %j becomes %j", (key, said, told) => {
    assert.strictEqual(redactKey(Redacted.make(key))(said), told)
  })

  it("cannot be hidden where there is none", () => {
    assert.strictEqual(redactKey(undefined)("anything…"), "anything…")
  })
})
