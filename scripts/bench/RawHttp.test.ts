import { assert, describe, it } from "@effect/vitest"
import { takeRequest } from "./RawHttp.ts"

describe("the benchmark's reader of requests", () => {
  const byLength = "POST /v1/x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n你好"
  const inChunks = "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n6\r\n你好\r\n0\r\n\r\n"

  it("takes one request, its body by length, and leaves what follows", () => {
    assert.deepStrictEqual(takeRequest(Buffer.from(byLength + inChunks)), {
      request: { path: "/v1/x?y", body: "你好" },
      length: Buffer.byteLength(byLength)
    })
  })

  it("puts a body together from chunks", () => {
    assert.deepStrictEqual(takeRequest(Buffer.from(inChunks)), {
      request: { path: "/c", body: "abc你好" },
      length: Buffer.byteLength(inChunks)
    })
  })

  it("takes a request without a body", () => {
    assert.deepStrictEqual(takeRequest(Buffer.from("GET /health HTTP/1.1\r\n\r\n")), {
      request: { path: "/health", body: "" },
      length: 24
    })
  })

  for (const [name, text] of Object.entries({ byLength, inChunks })) {
    it(`waits until a request is whole, wherever it is cut (${name})`, () => {
      const bytes = Buffer.from(text)
      for (let end = 0; end < bytes.length; end++) assert.isUndefined(takeRequest(bytes.subarray(0, end)))
    })
  }
})
