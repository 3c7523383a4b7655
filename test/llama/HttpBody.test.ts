import { assert, describe, it } from "@effect/vitest"
import * as HttpBody from "../../src/llama/HttpBody.ts"

type Headers = Parameters<typeof HttpBody.start>[1]

const chunked: Headers = { "transfer-encoding": "chunked" }

const start = (headers: Headers, status = 200) => {
  const state = HttpBody.start(status, headers)
  if (typeof state === "string") throw new Error(state)
  return state
}

/** What is made of the bytes, in reads of so many. */
const read = (headers: Headers, text: string, size: number) => {
  const bytes = Buffer.from(text)
  let state = start(headers)
  let body = ""
  for (let at = 0; at < bytes.length; at += size) {
    const piece = Uint8Array.from(bytes.subarray(at, at + size))
    const step = HttpBody.push(state, piece)
    state = step.state
    body += Buffer.from(piece.subarray(step.from, step.to)).toString("latin1")
    if (step.wrong !== undefined) return { body, wrong: step.wrong }
    if (state.phase === "end") return { body, unread: bytes.length - at - step.used }
  }
  return { body, whole: HttpBody.isWhole(state) }
}

describe("the body of an answer", () => {
  const rows: ReadonlyArray<readonly [name: string, headers: Headers, text: string, ReturnType<typeof read>]> = [
    ["in one chunk", chunked, "5\r\nhello\r\n0\r\n\r\n", { body: "hello", unread: 0 }],
    [
      "in several",
      chunked,
      "5\r\nhello\r\n1\r\n \r\nA\r\nbeautiful!\r\n0\r\n\r\n",
      { body: "hello beautiful!", unread: 0 }
    ],
    ["of none", chunked, "0\r\n\r\n", { body: "", unread: 0 }],
    [
      "with extensions and a trailer",
      chunked,
      "5;a=b\r\nhello\r\n000 ;c\r\nX: y\r\nZ: \r\n\r\n",
      { body: "hello", unread: 0 }
    ],
    ["whose lines end without CR", chunked, "5\nhello\n0\n\n", { body: "hello", unread: 0 }],
    [
      "with letters of both cases",
      chunked,
      "b\r\nhello world\r\nB\r\nhello world\r\n0\r\n\r\n",
      { body: "hello worldhello world", unread: 0 }
    ],
    ["whose data look like sizes", chunked, "7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", { body: "\r\n0\r\n\r\n", unread: 0 }],
    ["with zeros before its size", chunked, `${"0".repeat(20)}5\r\nhello\r\n0\r\n\r\n`, { body: "hello", unread: 0 }],
    ["that breaks off in a chunk", chunked, "5\r\nhel", { body: "hel", whole: false }],
    ["that breaks off behind a chunk", chunked, "5\r\nhello\r\n", { body: "hello", whole: false }],
    ["that lacks its last line", chunked, "5\r\nhello\r\n0\r\n", { body: "hello", whole: true }],
    ["with a size that is none", chunked, "xyz\r\nhello", { body: "", wrong: "a chunk has no size" }],
    ["with an empty line for a size", chunked, "\r\nhello", { body: "", wrong: "a chunk has no size" }],
    ["with half a number", chunked, "5y\r\nhello", { body: "", wrong: "the size of a chunk is no number" }],
    [
      "with a size beyond all bounds",
      chunked,
      `${"f".repeat(13)}\r\n`,
      { body: "", wrong: "the size of a chunk has more than 12 digits" }
    ],
    [
      "that is longer than its size",
      chunked,
      "2\r\nhello\r\n",
      { body: "he", wrong: "a chunk is longer than its size" }
    ],
    ["of a length", { "content-length": "5" }, "hello", { body: "hello", unread: 0 }],
    ["of a length that is said twice", { "content-length": "5, 5" }, "hello", { body: "hello", unread: 0 }],
    ["that is shorter than its length", { "content-length": "6" }, "hello", { body: "hello", whole: false }],
    ["until the connection ends", {}, "hello\r\n\r\n", { body: "hello\r\n\r\n", whole: true }],
    [
      "in a coding that is not the last",
      { "transfer-encoding": "chunked, gzip", "content-length": "2" },
      "hello",
      { body: "hello", whole: true }
    ],
    [
      "in chunks, whatever its length says",
      { "transfer-encoding": "gzip,Chunked", "content-length": "2" },
      "5\r\nhello\r\n0\r\n\r\n",
      { body: "hello", unread: 0 }
    ]
  ]
  for (const [name, headers, text, expected] of rows) {
    it(`${name} is the same in reads of any size`, () => {
      for (let size = 1; size <= text.length; size++)
        assert.deepStrictEqual(read(headers, text, size), expected, `${size}`)
    })
  }

  it("ends where it ends, and leaves what comes behind it", () => {
    assert.deepStrictEqual(read(chunked, "1\r\na\r\n0\r\n\r\nHTTP/1.1", 100), { body: "a", unread: 8 })
    assert.deepStrictEqual(read({ "content-length": "1" }, "abc", 100), { body: "a", unread: 2 })
  })

  it("is empty where its status says so", () => {
    for (const status of [100, 103, 204, 304]) {
      assert.strictEqual(start({ "content-length": "5" }, status).phase, "end")
    }
    assert.strictEqual(start({ "content-length": "0" }).phase, "end")
  })
})
