import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as HttpBody from "../../src/llama/HttpBody.ts"
import * as HttpHead from "../../src/llama/HttpHead.ts"
import { cut, holds, patience, sizes, text } from "./holds.ts"

const encode = (characters: string) => new TextEncoder().encode(characters)

const startOf = (headers: { readonly [name: string]: string }) => {
  const state = HttpBody.start(200, headers)
  if (typeof state === "string") throw new Error(state)
  return state
}

/** What is made of a body that comes in the given reads. */
const read = (state: HttpBody.BodyState, reads: ReadonlyArray<Uint8Array>) => {
  const body: Array<Uint8Array> = []
  for (const each of reads) {
    const bytes = Uint8Array.from(each)
    const step = HttpBody.push(state, bytes)
    state = step.state
    body.push(bytes.subarray(step.from, step.to))
    if (step.wrong !== undefined) return { body: Buffer.concat(body).toString("hex"), end: step.wrong }
    if (state.phase === "end") break
  }
  return { body: Buffer.concat(body).toString("hex"), end: state.phase }
}

const chunks = fc.array(
  fc.record({
    bytes: fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.constant(encode("\r\n0\r\n\r\n"))),
    behind: fc.constantFrom("", ";a", " ", ';name="x;y"'),
    line: fc.constantFrom("\r\n", "\n")
  }),
  { maxLength: 6 }
)

/** A body in chunks as a server may frame it. */
const framed = (all: typeof chunks extends fc.Arbitrary<infer A> ? A : never, trailer: string) =>
  Buffer.concat([
    ...all.flatMap(({ behind, bytes, line }) => [
      encode(`${bytes.length.toString(16)}${behind}${line}`),
      bytes,
      encode(line)
    ]),
    encode(`0\r\n${trailer}\r\n`)
  ])

describe("the body of an answer in chunks", () => {
  it(
    "is what was put into them, in reads of any size",
    () =>
      holds(fc.record({ chunks, sizes, trailer: fc.constantFrom("", "A: b\r\n", "A: b\nC:\n") }), (sent) => {
        const found = read(
          startOf({ "transfer-encoding": "chunked" }),
          cut(framed(sent.chunks, sent.trailer), sent.sizes)
        )
        const body = Buffer.concat(sent.chunks.map(({ bytes }) => bytes)).toString("hex")
        assert.deepStrictEqual(found, { body, end: "end" })
      }),
    patience
  )

  it(
    "is the same in one read and in many, whatever the bytes are",
    () =>
      holds(fc.record({ chunks, sizes, junk: fc.uint8Array({ maxLength: 20 }), at: fc.nat() }), (sent) => {
        const bytes = framed(sent.chunks, "")
        const at = sent.at % (bytes.length + 1)
        const spoilt = Buffer.concat([bytes.subarray(0, at), sent.junk, bytes.subarray(at)])
        const from = startOf({ "transfer-encoding": "chunked" })
        assert.deepStrictEqual(read(from, cut(spoilt, sent.sizes)), read(from, [spoilt]))
      }),
    patience
  )
})

describe("the head of an answer", () => {
  const head = fc
    .array(
      fc.oneof(text, fc.constantFrom("\r\n", "\n", ": ", "HTTP/1.1 200 OK\r\n", "Content-Length: 5", "A: b\r\n")),
      {
        maxLength: 8
      }
    )
    .map((parts) => Buffer.from(encode(parts.join(""))))

  it(
    "is read or refused, and once it is either no further byte changes that",
    () =>
      holds(fc.record({ rest: head, begins: fc.boolean() }), ({ begins, rest }) => {
        const bytes = begins ? Buffer.concat([encode("HTTP/1.1 200 OK\r\n"), rest]) : rest
        let settled: HttpHead.HeadStep | undefined
        for (let length = 0; length <= bytes.length; length++) {
          const step = HttpHead.read(bytes.subarray(0, length))
          if (settled === undefined && step._tag !== "Unfinished") settled = step
          if (settled?._tag === "Whole") assert.deepStrictEqual(step, settled)
          if (settled?._tag === "Wrong") assert.strictEqual(step._tag, "Wrong")
        }
      }),
    patience
  )
})
