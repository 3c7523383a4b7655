import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { narrow } from "../../src/llama/answer/ChatChunk.ts"
import * as TextTemplate from "../../src/llama/TextTemplate.ts"

const payload = (key: string, words: string, more: object = {}) =>
  JSON.stringify({
    choices: [{ finish_reason: null, index: 0, delta: { [key]: words } }],
    created: 1,
    id: "x",
    ...more
  })
const chunkOf = (text: string) => {
  const chunk = narrow(JSON.parse(text))
  if (chunk === null) throw new Error("no chunk")
  return chunk
}
const templateOf = (text: string) => TextTemplate.learn(text, chunkOf(text))

const words = fc.oneof(
  fc.string({ unit: "binary", minLength: 1 }),
  fc.string({
    unit: fc.constantFrom('"', "\\", "\n", "a", "é", "🚀", ",", "}", "{", ":", "content", "/"),
    minLength: 1
  })
)

describe("a template of payloads", () => {
  for (const key of ["content", "reasoning_content", "reasoning"]) {
    it(`of ${key} makes of any words what parsing makes of them`, () =>
      fc.assert(
        fc.property(words, words, (first, second) => {
          const template = templateOf(payload(key, first))
          if (template === null) return
          const other = payload(key, second)
          const fitted = TextTemplate.fit(template, other)
          if (fitted !== null) assert.deepStrictEqual(fitted, chunkOf(other))
        }),
        { numRuns: 2000 }
      ))
  }

  it("is learned and fits where only the words change", () => {
    const template = templateOf(payload("content", "one"))
    assert.isNotNull(template)
    if (template === null) return
    for (const text of [" two", "日本語", 'say "hi"\n', "x".repeat(100)]) {
      assert.strictEqual(TextTemplate.fit(template, payload("content", text))?.content, text)
    }
  })

  it("does not fit what differs in anything else", () => {
    const template = templateOf(payload("content", "one"))
    if (template === null) throw new Error("no template")
    for (const other of [
      payload("content", "two", { created: 2 }),
      payload("content", "two", { usage: null }),
      payload("reasoning_content", "two"),
      payload("content", ""),
      payload("content", "two").slice(0, -1),
      "[DONE]",
      '{"error":{"message":"boom"}}',
      payload("content", 'two"},"x":{"y":"').replaceAll('\\"', '"')
    ]) {
      assert.isNull(TextTemplate.fit(template, other), other)
    }
  })

  it("is not learned from what is more than words", () => {
    const choice = (delta: object, finish: string | null = null) =>
      JSON.stringify({ choices: [{ delta, finish_reason: finish }] })
    for (const text of [
      choice({ content: "a" }, "stop"),
      choice({ content: "a", reasoning_content: "b" }),
      choice({ content: null }),
      choice({ tool_calls: [{ index: 0, function: { name: "a", arguments: "{}" } }] }),
      choice({ content: [{ type: "text", text: "a" }] }),
      '{"choices":[{"message":{"content":"a"}}]}',
      '{"x":{"content":"a"},"choices":[{"text":"a"}]}',
      '{"choices":[{"delta":{"content":"\\u0061"}}]}',
      '{"choices":[{"delta":{"content":"a"}},{"index":1,"delta":{"content":"a"}}]}'
    ]) {
      assert.isNull(templateOf(text), text)
    }
  })
})
