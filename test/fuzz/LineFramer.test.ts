import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as LineFramer from "../../src/stdio/LineFramer.ts"
import { cut, holds, patience, sizes, text } from "./holds.ts"

const encode = (characters: string) => new TextEncoder().encode(characters)

/** Bytes with many ends of lines, and of characters that are cut or none. */
const bytes = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: text.map(encode) },
      { weight: 3, arbitrary: fc.constantFrom("\n", "\r\n", "\n\n", "\uFEFF", "{}", "   ").map(encode) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }) },
      { weight: 1, arbitrary: fc.integer({ min: 20, max: 200 }).map((length) => encode("x".repeat(length))) }
    ),
    { maxLength: 12 }
  )
  .map((parts) => Uint8Array.from(Buffer.concat(parts)))

const limits = fc.oneof(fc.integer({ min: 1, max: 80 }), fc.constant(1_000_000))

const frame = (reads: ReadonlyArray<Uint8Array>, limit: number) => {
  let state = LineFramer.initial(limit)
  const framed: Array<LineFramer.Framed> = []
  for (const read of reads) {
    const [next, lines] = LineFramer.push(state, read)
    state = next
    framed.push(...lines)
    const kept = state.parts.reduce((sum, part) => sum + part.length, 0)
    assert.isAtMost(kept, Math.max(limit, LineFramer.headBytes))
  }
  framed.push(...LineFramer.end(state))
  return framed
}

/** The rules of contract 2, said once more without reads, state and speed. */
const plainly = (input: Uint8Array, limit: number): ReadonlyArray<unknown> => {
  const lines: Array<Uint8Array> = []
  let from = 0
  for (const [at, byte] of input.entries()) {
    if (byte !== 10) continue
    lines.push(input.subarray(from, at))
    from = at + 1
  }
  lines.push(input.subarray(from))
  return lines.flatMap((line, index): ReadonlyArray<unknown> => {
    if (line.length > limit) return [`too long: ${line.length}`]
    let words: string
    try {
      words = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line)
    } catch {
      return [`not UTF-8: ${line.length}`]
    }
    if (index === 0 && words.startsWith("\uFEFF")) words = words.slice(1)
    if (words.endsWith("\r")) words = words.slice(0, -1)
    return words.trim() === "" ? [] : [{ line: words }]
  })
}

const inWords = (framed: LineFramer.Framed): unknown => {
  if (framed._tag === "Line") return { line: framed.text }
  return framed._tag === "TooLong" ? `too long: ${framed.length}` : `not UTF-8: ${framed.length}`
}

describe("LineFramer, for any bytes", { timeout: patience }, () => {
  it("does what the contract says, however they are cut, and keeps no more than it may", () =>
    holds(fc.tuple(bytes, sizes, limits), ([input, cuts, limit]) => {
      assert.deepStrictEqual(frame(cut(input, cuts), limit).map(inWords), plainly(input, limit))
    }))

  it("gives back the very lines that were written", () =>
    holds(fc.tuple(fc.array(text.filter((line) => line.isWellFormed())), sizes), ([all, cuts]) => {
      const lines = all.map((line) => `>${line.replaceAll("\n", " ")}<`)
      const framed = frame(cut(encode(lines.join("\n")), cuts), 1_000_000)
      assert.deepStrictEqual(
        framed,
        lines.map((line) => ({ _tag: "Line", text: line }))
      )
    }))
})
