import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ShownOutput } from "../../src/process/ShownOutput.ts"

const shown = (limit: number, pieces: Iterable<Buffer>) => {
  const output = new ShownOutput(limit)
  for (const piece of pieces) output.push(piece)
  return output.end()
}

describe("output as it is shown", () => {
  it("is the same however its bytes are cut", () => {
    const piece = fc.oneof(
      fc.constantFrom("\r", "\n", "\x1b[K", "\x1b[31m", "語", "🚀", "é"),
      fc.string({ maxLength: 5 })
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.integer({ min: 1, max: 9 }), (pieces, length) => {
        const bytes = Buffer.from(pieces.join(""))
        const cuts = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) => index * length)
        const cut = shown(
          1000,
          cuts.map((from) => bytes.subarray(from, from + length))
        )
        assert.strictEqual(cut.text(), shown(1000, [bytes]).text())
      })
    )
  })

  it("has the text around a bar of a hundred thousand steps whole", () => {
    const bar = function* () {
      yield Buffer.from("begin\n")
      for (let step = 0; step <= 100_000; step++) yield Buffer.from(`\r\x1b[K${step} of 100000`)
      yield Buffer.from("\nend\n")
    }
    const output = shown(64, bar())
    assert.isFalse(output.isCut)
    assert.strictEqual(output.text(), "begin\n100000 of 100000\nend\n")
  })

  it("is bounded by what is shown, head and tail", () => {
    const output = shown(10, [Buffer.from("\x1b[1mhead\x1b[0m and a long body and \x1b[1mtail\x1b[0m")])
    assert.strictEqual(output.text(), "head \n… (19 bytes left out) …\n tail")
    assert.isTrue(output.isCut)
  })

  it("shows bytes that are no text as U+FFFD, half a character at the end too", () => {
    assert.strictEqual(shown(100, [Buffer.from([0x61, 0xff, 0x62, 0xe8, 0xaa])]).text(), "a\uFFFDb\uFFFD")
  })
})
