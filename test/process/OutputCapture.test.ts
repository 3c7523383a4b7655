import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { OutputCapture } from "../../src/process/OutputCapture.ts"

const capture = (limit: number, pieces: ReadonlyArray<Uint8Array>) => {
  const output = new OutputCapture(limit)
  for (const piece of pieces) output.push(Buffer.from(piece))
  return output
}

describe("captured output", () => {
  it("is whole as long as it fits", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), (pieces) => {
        const whole = Buffer.concat(pieces)
        const output = capture(Math.max(1, whole.length), pieces)
        assert.isFalse(output.isCut)
        assert.strictEqual(output.text(), new TextDecoder().decode(whole))
      })
    )
  })

  it("keeps head and tail of more, and says how much is missing between them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 50, unit: "grapheme-ascii" }), { minLength: 10, maxLength: 60 }),
        fc.integer({ min: 2, max: 100 }),
        (texts, limit) => {
          const whole = texts.join("")
          fc.pre(whole.length > limit)
          const output = capture(
            limit,
            texts.map((text) => Buffer.from(text))
          )
          assert.isTrue(output.isCut)
          const [head, tail] = [whole.slice(0, Math.ceil(limit / 2)), whole.slice(whole.length - Math.floor(limit / 2))]
          assert.strictEqual(output.text(), `${head}\n… (${whole.length - limit} bytes left out) …\n${tail}`)
        }
      )
    )
  })

  it("does not cut a character in two", () => {
    for (let limit = 8; limit < 40; limit++) {
      const text = capture(limit, [Buffer.from("語😀é".repeat(20))]).text()
      assert.notInclude(text, "\uFFFD")
      assert.isTrue(text.isWellFormed())
    }
  })

  it("holds no more than its limit, however much passes", () => {
    const output = new OutputCapture(1000)
    for (let round = 0; round < 10_000; round++) output.push(Buffer.alloc(777, "x"))
    assert.strictEqual(output.total, 7_770_000)
    assert.isBelow(output.text().length, 1100)
  })
})
