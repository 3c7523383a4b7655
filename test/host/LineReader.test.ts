import { assert, describe, it } from "@effect/vitest"
import { LineReader } from "../../src/host/LineReader.ts"

const text = '{"a":"é 你 👩‍💻"}\n{"b":"\u2028\u2029"}\r\n\n{"c":1}\nrest'
const bytes = Buffer.from(text)
const whole = text.split("\n").slice(0, -1)

const read = (reader: LineReader, chunks: ReadonlyArray<Uint8Array>) =>
  chunks.flatMap((chunk) => reader.read(chunk) ?? ["over the limit"])

describe("the host's reader of lines", () => {
  it("gives the same lines wherever the bytes are cut in two", () => {
    for (let at = 0; at <= bytes.length; at++) {
      const reader = new LineReader(100)
      assert.deepStrictEqual(read(reader, [bytes.subarray(0, at), bytes.subarray(at)]), whole, `cut at ${at}`)
      assert.strictEqual(reader.end(), "rest")
    }
  })

  it("gives the same lines byte by byte", () => {
    const single = Array.from(bytes, (byte) => Buffer.of(byte))
    assert.deepStrictEqual(read(new LineReader(100), single), whole)
  })

  it("takes text for bytes, as a stream with an encoding gives it", () => {
    assert.deepStrictEqual(new LineReader(100).read("a\nb\u2028c\nd"), ["a", "b\u2028c"])
  })

  it("tells a line over the limit, finished or not, and none at the limit", () => {
    assert.deepStrictEqual(new LineReader(4).read(Buffer.from("1234")), [])
    assert.deepStrictEqual(new LineReader(4).read(Buffer.from("1234\n")), ["1234"])
    assert.isUndefined(new LineReader(4).read(Buffer.from("12345")))
    assert.isUndefined(new LineReader(4).read(Buffer.from("1\n12345")))
    const reader = new LineReader(4)
    reader.read(Buffer.from("123"))
    assert.isUndefined(reader.read(Buffer.from("45")))
  })

  it("counts a line alone, not the lines of a chunk together", () => {
    assert.deepStrictEqual(new LineReader(4).read(Buffer.from("1234\n1234\n1234\n")), ["1234", "1234", "1234"])
  })
})
