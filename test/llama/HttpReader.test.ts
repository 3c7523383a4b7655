import { assert, describe, it } from "@effect/vitest"
import * as HttpReader from "../../src/llama/HttpReader.ts"

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

/** All that is read of an answer in reads of so many bytes, and what a connection that ends then means. */
const read = (text: string, size: number, why?: string) => {
  const bytes = Buffer.from(text)
  let state = HttpReader.start
  let status: number | undefined
  let body = ""
  for (let at = 0; at < bytes.length; at += size) {
    const step = HttpReader.push(state, Buffer.from(bytes.subarray(at, at + size)))
    state = step.state
    status = step.answer?.status ?? status
    body += Buffer.from(step.bytes).toString()
    if (step.end !== undefined) return { status, body, end: brief(step.end) }
  }
  return { status, body, end: `${brief(HttpReader.finish(state, why))}, at the end` }
}

const brief = (end: HttpReader.ReaderEnd): string =>
  end._tag === "Whole" ? `whole, idle for ${end.idleMs}` : `${end.reason._tag}: ${end.reason.detail}`

describe("an answer", () => {
  const rows: ReadonlyArray<readonly [name: string, text: string, expected: ReturnType<typeof read>]> = [
    ["in chunks", `${chunked}2\r\nhi\r\n0\r\n\r\n`, { status: 200, body: "hi", end: "whole, idle for 5000" }],
    ["without a body", "HTTP/1.1 204 No Content\r\n\r\n", { status: 204, body: "", end: "whole, idle for 5000" }],
    [
      "behind others that are none",
      "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 No\r\nContent-Length: 1\r\n\r\na",
      { status: 400, body: "a", end: "whole, idle for 5000" }
    ],
    [
      "of a server that says how long it waits",
      "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=3, max=100\r\nContent-Length: 1\r\n\r\na",
      { status: 200, body: "a", end: "whole, idle for 3000" }
    ],
    [
      "that is the last of its connection",
      "HTTP/1.1 200 OK\r\nConnection: close\r\nKeep-Alive: timeout=5\r\nContent-Length: 1\r\n\r\na",
      { status: 200, body: "a", end: "whole, idle for 0" }
    ],
    [
      "of a server that waits longer than we do",
      "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=75\r\nContent-Length: 1\r\n\r\na",
      { status: 200, body: "a", end: "whole, idle for 5000" }
    ],
    ["until the end", "HTTP/1.1 200 OK\r\n\r\nhi", { status: 200, body: "hi", end: "whole, idle for 0, at the end" }],
    [
      "that breaks off",
      `${chunked}2\r\nh`,
      { status: 200, body: "h", end: "Cut: the connection broke in the middle of the answer, at the end" }
    ],
    [
      "that breaks off in its head",
      "HTTP/1.1 200 OK\r\nContent",
      {
        status: undefined,
        body: "",
        end: "Unreachable: the server closed the connection before it answered, at the end"
      }
    ]
  ]
  for (const [name, text, expected] of rows) {
    it(`${name} is the same in reads of any size`, () => {
      for (let size = 1; size <= text.length; size++) assert.deepStrictEqual(read(text, size), expected, `${size}`)
    })
  }

  it("with more behind it is the last of its connection", () => {
    const text = `${chunked}0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`
    assert.strictEqual(read(text, text.length).end, "whole, idle for 0")
  })

  it("is not whole where the connection broke, even if it could have ended there", () => {
    const { end } = read("HTTP/1.1 200 OK\r\n\r\nhi", 100, "read ECONNRESET")
    assert.strictEqual(end, "Cut: the connection broke in the middle of the answer (read ECONNRESET), at the end")
  })

  it("that never comes, behind others that are none, is given up", () => {
    const { end } = read("HTTP/1.1 100 Continue\r\n\r\n".repeat(200), 1000)
    assert.strictEqual(
      end,
      "Malformed: the head of the answer cannot be read: more than 100 others that are no answer come before it"
    )
  })

  it("that is none says what it is instead", () => {
    const { end } = read("220 mail ESMTP\r\n", 100)
    assert.strictEqual(end, `Malformed: what answers there is no HTTP server: it begins with "220 mail ESMTP\\r\\n"`)
  })
})
