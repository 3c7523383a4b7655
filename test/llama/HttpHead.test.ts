import { assert, describe, it } from "@effect/vitest"
import * as HttpHead from "../../src/llama/HttpHead.ts"

const read = (text: string) => HttpHead.read(Buffer.from(text, "latin1"))

const whole = (text: string) => {
  const step = read(text)
  if (step._tag !== "Whole") throw new Error(JSON.stringify(step))
  return step
}

describe("the head of an answer", () => {
  it("has a status and headers, and ends where its body begins", () => {
    const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Empty:\r\nX:  a: b \t\r\n\r\n"
    const step = whole(`${head}data: hi\n\n`)
    assert.deepStrictEqual(step.answer, {
      status: 200,
      statusText: "OK",
      headers: Object.assign(Object.create(null), { "content-type": "text/event-stream", "x-empty": "", x: "a: b" })
    })
    assert.strictEqual(step.length, head.length)
  })

  const lenient: ReadonlyArray<readonly [name: string, text: string, status: number, statusText: string]> = [
    ["without words behind its status", "HTTP/1.1 404 \r\n\r\n", 404, ""],
    ["without a blank behind its status", "HTTP/1.1 404\r\n\r\n", 404, ""],
    ["of an older version", "HTTP/1.0 503 Service Unavailable\r\n\r\n", 503, "Service Unavailable"],
    ["whose lines end without CR", "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 200, "OK"],
    ["behind empty lines", "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 200, "OK"]
  ]
  for (const [name, text, status, statusText] of lenient) {
    it(`${name} is read`, () => {
      const { answer, length } = whole(text)
      assert.deepInclude(answer, { status, statusText })
      assert.include(["", "hi"], text.slice(length))
    })
  }

  it("joins what comes several times, and lines that go on", () => {
    const { answer } = whole("HTTP/1.1 200 OK\r\nVia: a\r\nvia: b\r\n  c\r\nY:\r\n\t5 \r\n__proto__: d\r\n\r\n")
    assert.strictEqual(answer.headers["via"], "a, b c")
    assert.strictEqual(answer.headers["y"], "5")
    assert.strictEqual(answer.headers["__proto__"], "d")
    assert.isUndefined(answer.headers["constructor"])
  })

  it("is waited for, byte by byte, until its last one is there", () => {
    const text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
    for (let length = 0; length < text.length; length++) {
      assert.strictEqual(read(text.slice(0, length))._tag, "Unfinished", text.slice(0, length))
    }
    assert.strictEqual(read(text)._tag, "Whole")
  })

  const wrong: ReadonlyArray<readonly [name: string, text: string, detail: string]> = [
    [
      "of another protocol",
      "SSH-2.0-OpenSSH_9.2p1\r\n",
      `what answers there is no HTTP server: it begins with "SSH-2.0-OpenSSH_9.2p1\\r\\n"`
    ],
    ["of which one byte is enough", "\x16", `it begins with "\\u0016"`],
    ["of a later version", "HTTP/2 200\r\n\r\n", `it begins with "HTTP/2 200`],
    [
      "without a number",
      "HTTP/1.1 OK\r\n\r\n",
      `the head of the answer cannot be read: its status line is "HTTP/1.1 OK"`
    ],
    ["with a status of no kind", "HTTP/1.1 042 OK\r\n\r\n", `its status line is "HTTP/1.1 042 OK"`],
    ["with a line that is no header", "HTTP/1.1 200 OK\r\nhello\r\n\r\n", `a line of its head is "hello"`],
    ["with a blank in a name", "HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", `a line of its head is "A b: c"`],
    ["that goes on with no line", "HTTP/1.1 200 OK\r\n a: b\r\n\r\n", `a line of its head is " a: b"`],
    ["with no length", "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n", `its Content-Length is "1x"`],
    [
      "with two lengths",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      `its Content-Length is "1, 2"`
    ],
    ["that changes the protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "it changes to another protocol"],
    ["that does not end", `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(3000)}`, "its head is longer than 16384 bytes"]
  ]
  for (const [name, text, detail] of wrong) {
    it(`${name} is refused with what is wrong`, () => {
      const step = read(text)
      assert.strictEqual(step._tag, "Wrong")
      assert.include(step._tag === "Wrong" ? step.detail : "", detail)
    })
  }

  const kept: ReadonlyArray<readonly [head: string, keepsAlive: boolean]> = [
    ["HTTP/1.1 200 OK", true],
    ["HTTP/1.1 200 OK\r\nConnection: close", false],
    ["HTTP/1.1 200 OK\r\nConnection: x, Close", false],
    ["HTTP/1.0 200 OK", false],
    ["HTTP/1.0 200 OK\r\nConnection: Keep-Alive", true]
  ]
  for (const [head, keepsAlive] of kept) {
    it(`${JSON.stringify(head)} ${keepsAlive ? "keeps" : "ends"} its connection`, () =>
      assert.strictEqual(whole(`${head}\r\n\r\n`).keepsAlive, keepsAlive))
  }

  it("says how long an idle connection is kept", () => {
    assert.strictEqual(whole("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=100\r\n\r\n").idleMs, 5000)
    assert.isUndefined(whole("HTTP/1.1 200 OK\r\nKeep-Alive: max=100\r\n\r\n").idleMs)
  })
})

describe("the head of a request", () => {
  it("says where it goes, and how long its body is", () => {
    const head = HttpHead.write("POST", new URL("http://[::1]:8080/a%20b/v1?x=1#y"), { Accept: "*/*" }, 12)
    assert.strictEqual(
      head,
      "POST /a%20b/v1?x=1 HTTP/1.1\r\nHost: [::1]:8080\r\nConnection: keep-alive\r\nAccept: */*\r\nContent-Length: 12\r\n\r\n"
    )
  })

  it("says these itself, whoever else says them", () => {
    const headers = { host: "other", "content-length": "1", "Transfer-Encoding": "chunked", accept: "a" }
    assert.strictEqual(
      HttpHead.write("POST", new URL("http://h"), headers, 12),
      "POST / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\naccept: a\r\nContent-Length: 12\r\n\r\n"
    )
  })

  it("has the name and password of the URL, unless there is a key", () => {
    const url = new URL("http://me:p%40ss@host/")
    assert.include(HttpHead.write("GET", url, {}, undefined), "\r\nAuthorization: Basic bWU6cEBzcw==\r\n")
    const keyed = HttpHead.write("GET", url, { authorization: "Bearer k" }, undefined)
    assert.deepStrictEqual(keyed.match(/authorization: .*/gi), ["authorization: Bearer k"])
  })
})
