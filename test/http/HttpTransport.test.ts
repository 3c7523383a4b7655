import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Fs from "node:fs"
import type { Socket } from "node:net"
import * as Tls from "node:tls"
import * as Zlib from "node:zlib"
import type { HttpExchange, HttpRequest } from "../../src/http/HttpExchange.ts"
import * as HttpTransport from "../../src/http/HttpTransport.ts"
import { serve } from "../support/RawServer.ts"

const ok = (body: string, headers = "") =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const transport = Effect.acquireRelease(
  Effect.sync(() => HttpTransport.make()),
  (made) => Effect.sync(() => made.close())
)

const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "GET",
  url,
  headers: {},
  connectTimeoutMs: 5000,
  ...more
})

const rest = (exchange: HttpExchange) =>
  Effect.gen(function* () {
    const parts: Array<Uint8Array> = []
    for (;;) {
      const bytes = yield* exchange.read
      if (bytes === null) return Buffer.concat(parts).toString()
      parts.push(bytes)
    }
  })

const whole = (exchange: HttpExchange) =>
  Effect.gen(function* () {
    const { status } = yield* exchange.head
    return { status, body: yield* rest(exchange) }
  })

const unwanted = "not wanted"

describe("a connection", () => {
  it.live("carries one request after another, and two at once are two", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ request, socket }) => socket.write(ok(`${request}`)))
      const http = yield* transport
      for (const body of ["0", "1", "2"]) {
        const exchange = http.open(get(server.origin))
        assert.deepStrictEqual(yield* whole(exchange), { status: 200, body })
        exchange.abort(unwanted)
      }
      assert.strictEqual(server.connections(), 1)
      const both = [http.open(get(server.origin)), http.open(get(server.origin))].map(whole)
      assert.deepStrictEqual(
        (yield* Effect.all(both, { concurrency: 2 })).map(({ body }) => body),
        ["3", "0"]
      )
      assert.strictEqual(server.connections(), 2)
    })
  )

  it.live("is sent a request whole, and is of one server only", () =>
    Effect.gen(function* () {
      const texts: Array<string> = []
      const echo = yield* serve(({ socket, text }) => {
        texts.push(text)
        socket.write(ok(""))
      })
      const other = yield* serve(({ socket }) => socket.write(ok("other")))
      const http = yield* transport
      yield* whole(
        http.open(get(`${echo.origin}/a?b`, { method: "POST", headers: { "Content-Type": "x" }, body: "日本" }))
      )
      assert.deepStrictEqual(texts, [
        `POST /a?b HTTP/1.1\r\nContent-Type: x\r\nHost: ${echo.origin.slice(7)}\r\nConnection: keep-alive\r\nContent-Length: 6\r\n\r\n日本`
      ])
      assert.deepStrictEqual(yield* whole(http.open(get(other.origin))), { status: 200, body: "other" })
    })
  )

  it.live("takes name and password from the URL, unless a header has a key", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ socket, text }) => socket.write(ok(/authorization: (.*)/i.exec(text)?.[1] ?? "")))
      const http = yield* transport
      const url = server.origin.replace("//", "//me:p%40ss@")
      assert.strictEqual((yield* whole(http.open(get(url)))).body, "Basic bWU6cEBzcw==")
      const keyed = http.open(get(url, { headers: { Authorization: "Bearer k" } }))
      assert.strictEqual((yield* whole(keyed)).body, "Bearer k")
    })
  )

  const ended: ReadonlyArray<readonly [name: string, bytes: string]> = [
    ["whose server says that it ends", ok("a", "Connection: close\r\n")],
    ["of an older version", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na"],
    ["that says more than was asked", `${ok("a")}${ok("b")}`],
    ["whose server keeps it no longer than a second", ok("a", "Keep-Alive: timeout=1\r\n")]
  ]
  for (const [name, bytes] of ended) {
    it.live(`${name} is not used again`, () =>
      Effect.gen(function* () {
        const server = yield* serve(({ socket }) => socket.write(bytes))
        const http = yield* transport
        for (const count of [1, 2]) {
          assert.deepStrictEqual(yield* whole(http.open(get(server.origin))), { status: 200, body: "a" })
          assert.strictEqual(server.connections(), count)
        }
      })
    )
  }

  it.live("that its server has closed meanwhile costs nothing: the request is sent again", () =>
    Effect.gen(function* () {
      let isDown = false
      let asked = 0
      const server = yield* serve(({ request, socket }) => {
        asked += 1
        if (isDown || request === 1) socket.destroy()
        else socket.write(ok("a"))
      })
      const http = yield* transport
      const many = (count: number) =>
        Effect.all(Array.from({ length: count }, () => http.open(get(server.origin))).map(whole), {
          concurrency: "unbounded"
        })
      yield* many(1)
      yield* many(1)
      assert.deepStrictEqual([asked, server.connections()], [3, 2])

      // And not for ever.
      yield* many(12)
      isDown = true
      asked = 0
      const { reason } = yield* Effect.flip(http.open(get(server.origin)).head)
      assert.deepStrictEqual([reason, asked], ["unreachable", 9])
    })
  )

  it.live("is closed before its server does that", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ socket }) => socket.write(ok("a", "Keep-Alive: timeout=2\r\n")))
      const http = yield* transport
      for (let count = 0; count < 2; count++) yield* whole(http.open(get(server.origin)))
      assert.strictEqual(server.connections(), 1)
      yield* Effect.promise(() => server.closed(0))
    })
  )

  it.live("that says something while nobody asks is closed", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ socket }) => {
        socket.write(ok("a"))
        setImmediate(() => socket.write("and another thing"))
      })
      const http = yield* transport
      assert.deepStrictEqual(yield* whole(http.open(get(server.origin))), { status: 200, body: "a" })
      yield* Effect.promise(() => server.closed(0))
      assert.deepStrictEqual(yield* whole(http.open(get(server.origin))), { status: 200, body: "a" })
    })
  )

  it.live("that says something long after its answer is closed, and the next request is not answered by it", () =>
    Effect.gen(function* () {
      const sockets: Array<Socket> = []
      const server = yield* serve(({ socket, connection }) => {
        sockets.push(socket)
        socket.write(ok(`${connection}`))
      })
      const http = yield* transport
      assert.deepStrictEqual(yield* whole(http.open(get(server.origin))), { status: 200, body: "0" })
      yield* Effect.sleep(20)
      sockets[0]?.write(ok("forged"))
      yield* Effect.promise(() => server.closed(0))
      assert.deepStrictEqual(yield* whole(http.open(get(server.origin))), { status: 200, body: "1" })
    })
  )

  it.live("is closed after five idle seconds, and not while its server is silent for longer", () =>
    Effect.gen(function* () {
      const idle = yield* serve(({ socket }) => socket.write(ok("a")))
      const silent = yield* serve(({ socket }) => setTimeout(() => socket.write(ok("late")), 5500))
      const http = yield* transport
      const late = yield* Effect.forkChild(whole(http.open(get(silent.origin))), { startImmediately: true })
      yield* whole(http.open(get(idle.origin)))
      yield* Effect.promise(() => idle.closed(0))
      assert.deepStrictEqual(yield* Fiber.join(late), { status: 200, body: "late" })
    })
  )

  it.live("is used again once the rest that nobody wants has run out", () =>
    Effect.gen(function* () {
      const left = Promise.withResolvers<void>()
      const usedAgain = new Set<number>()
      const server = yield* serve(({ connection, request, socket }) => {
        if (request === 1) usedAgain.add(connection)
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
        // More than is kept for who reads it. All other answers have no end.
        const end = `30d40\r\n${"b".repeat(200_000)}\r\n0\r\n\r\n`
        if (connection === 0) void left.promise.then(() => socket.write(end))
      })
      const http = yield* transport
      const first = http.open(get(server.origin))
      yield* first.head
      first.release()
      left.resolve()
      while (!usedAgain.has(0)) {
        http.open(get(server.origin))
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
    })
  )

  it.live("is closed where the rest that nobody wants does not end", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ socket }) => socket.write("HTTP/1.1 200 OK\r\n\r\na"))
      const http = yield* transport
      const exchange = http.open(get(server.origin))
      yield* exchange.head
      exchange.release()
      yield* Effect.promise(() => server.closed(0))
    })
  )

  it.live("is closed by who no longer wants its answer, who is told so", () =>
    Effect.gen(function* () {
      const asked = Promise.withResolvers<void>()
      const server = yield* serve(() => asked.resolve())
      const http = yield* transport
      const exchange = http.open(get(server.origin))
      yield* Effect.promise(() => asked.promise)
      const waiting = yield* Effect.forkChild(Effect.flip(exchange.head), { startImmediately: true })
      assert.isTrue(exchange.isWaiting())
      exchange.abort(unwanted)
      assert.deepInclude(yield* Fiber.join(waiting), { reason: "aborted", detail: unwanted })
      assert.isFalse(exchange.isWaiting())
      yield* Effect.promise(() => server.closed(0))
    })
  )

  it.live("that carries another's answer by now is not closed by who had it before", () =>
    Effect.gen(function* () {
      const server = yield* serve(({ request, socket }) => {
        if (request === 0) socket.write(ok("a"))
        else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nb", () => socket.write("c"))
      })
      const http = yield* transport
      const first = http.open(get(server.origin))
      yield* whole(first)
      const second = http.open(get(server.origin))
      yield* second.head
      first.abort(unwanted)
      first.release()
      assert.strictEqual(yield* rest(second), "bc")
      assert.strictEqual(server.connections(), 1)
    })
  )
})

describe("an answer", () => {
  it.live("comes behind what a server says before it, in reads of any size", () =>
    Effect.gen(function* () {
      const bytes = `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${ok("hello")}`
      for (const size of [1, 7, 40, bytes.length]) {
        const server = yield* serve(({ socket }) => {
          socket.setNoDelay(true)
          const say = (at: number): unknown =>
            at < bytes.length && socket.write(bytes.slice(at, at + size), () => setImmediate(() => say(at + size)))
          say(0)
        })
        const http = yield* transport
        assert.deepStrictEqual(yield* whole(http.open(get(server.origin))), { status: 200, body: "hello" })
      }
    })
  )

  it.live("is larger than what is read at once, and no byte of it is lost or told twice", () =>
    Effect.gen(function* () {
      const body = Array.from({ length: 200_000 }, (_, index) => `line ${index}\n`).join("")
      let framed = ""
      for (let at = 0; at < body.length; at += 1000) {
        const part = body.slice(at, at + 1000)
        framed += `${part.length.toString(16)}\r\n${part}\r\n`
      }
      const server = yield* serve(({ socket }) =>
        socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${framed}0\r\n\r\n`)
      )
      const http = yield* transport
      for (let round = 0; round < 2; round++) {
        assert.isTrue((yield* whole(http.open(get(server.origin)))).body === body)
      }
      assert.strictEqual(server.connections(), 1)
    })
  )

  const broken: ReadonlyArray<readonly [name: string, bytes: string, reason: string, detail: string]> = [
    ["none", "", "unreachable", "the server closed the connection before it answered"],
    ["half a head", "HTTP/1.1 200 OK\r\nA: ", "unreachable", "the server closed the connection before it answered"],
    ["another protocol", "+OK POP3 ready\r\n", "malformed", "what answers there is no HTTP server: it begins with"],
    ["half a body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "cut", "the connection broke in the middle"],
    [
      "a body in wrong chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
      "cut",
      "the connection broke in the middle of the answer (Expected LF after chunk data)"
    ]
  ]
  for (const [name, bytes, reason, detail] of broken) {
    it.live(`that is ${name} fails, behind all that has come`, () =>
      Effect.gen(function* () {
        const server = yield* serve(({ socket }) => socket.end(bytes))
        const http = yield* transport
        const exchange = http.open(get(server.origin))
        let read = ""
        const failure = yield* Effect.flip(
          Effect.gen(function* () {
            yield* exchange.head
            for (;;) read += Buffer.from((yield* exchange.read) ?? []).toString()
          })
        )
        assert.strictEqual(read, reason === "cut" ? "abc" : "")
        assert.strictEqual(failure.reason, reason)
        assert.include(failure.message, detail)
      })
    )
  }
})

describe("an answer without an end", () => {
  /** Writes until the other side takes no more; the bytes that were written, once that is so. */
  const flood = (socket: Socket, bytes: Buffer) => {
    let written = 0
    const more = () => {
      while (!socket.destroyed) {
        written += bytes.length
        if (!socket.write(bytes)) return
      }
    }
    socket.on("drain", more)
    more()
    return () => written
  }

  const stalled = (written: () => number) =>
    Effect.gen(function* () {
      for (let before = -1; before !== written();) {
        before = written()
        yield* Effect.sleep(100)
      }
      return written()
    })

  const megabyte = Buffer.alloc(1024 * 1024, "x")
  const rows = [
    ["plain", "HTTP/1.1 200 OK\r\n\r\n", megabyte],
    [
      "packed",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
      Zlib.gzipSync(Array.from({ length: 100_000 }, (_, index) => `${Math.imul(index, 2654435761)}`).join(""))
    ]
  ] as const
  for (const [name, head, bytes] of rows) {
    it.live(`that is ${name} is not read while nobody reads it: the server's writes stall`, () =>
      Effect.gen(function* () {
        const begun = Promise.withResolvers<() => number>()
        const server = yield* serve(({ socket }) => {
          socket.write(head)
          begun.resolve(flood(socket, bytes))
        })
        const http = yield* transport
        const exchange = http.open(get(server.origin))
        yield* exchange.head
        const written = yield* Effect.promise(() => begun.promise)
        const first = yield* stalled(written)
        // What the sockets of both sides hold.
        assert.isBelow(first, 32 * 1024 * 1024)
        for (let read = 0; read < 2 * first;) read += (yield* exchange.read)?.length ?? 0
        assert.isAbove(yield* stalled(written), first)
        exchange.abort(unwanted)
        yield* Effect.promise(() => server.closed(0))
      })
    )
  }

  it.live("in its head is refused, and no more of it is taken", () =>
    Effect.gen(function* () {
      const begun = Promise.withResolvers<() => number>()
      const server = yield* serve(({ socket }) => {
        socket.write("HTTP/1.1 200 OK\r\nX: ")
        begun.resolve(flood(socket, megabyte))
      })
      const http = yield* transport
      const { message, reason } = yield* Effect.flip(http.open(get(server.origin)).head)
      assert.strictEqual(reason, "malformed")
      assert.include(message, "the head of the answer cannot be read: ")
      yield* Effect.promise(() => server.closed(0))
      const written = yield* Effect.promise(() => begun.promise)
      // Of the 100 MiB that it could have been.
      assert.isBelow(written(), 32 * 1024 * 1024)
    })
  )
})

describe("a server", () => {
  it.live("that listens for another version of the protocol, or under a name, is reached", () =>
    Effect.gen(function* () {
      const http = yield* transport
      const six = yield* serve(({ socket }) => socket.write(ok("six")), { host: "::1" })
      assert.strictEqual((yield* whole(http.open(get(six.origin)))).body, "six")
      const named = yield* serve(({ socket }) => socket.write(ok("name")))
      const url = named.origin.replace("127.0.0.1", "localhost")
      assert.strictEqual((yield* whole(http.open(get(url)))).body, "name")
    })
  )

  it.live("that nobody can connect to in time is given up", () =>
    Effect.gen(function* () {
      const http = yield* transport
      // An address for documentation: nothing there answers, and some systems say so at once.
      const { reason, message } = yield* Effect.flip(http.open(get("http://192.0.2.1:9", { connectTimeoutMs: 1 })).head)
      assert.strictEqual(reason, "unreachable")
      assert.match(message, /no connection to http:\/\/192\.0\.2\.1:9 within 1 ms|192\.0\.2\.1/)
    })
  )

  it.live("that takes a connection and knows no TLS is given up, in words that say so", () =>
    Effect.gen(function* () {
      const http = yield* transport
      const mute = yield* serve(() => {})
      const url = mute.origin.replace("http:", "https:")
      const silent = yield* Effect.flip(http.open(get(url, { connectTimeoutMs: 100 })).head)
      assert.deepInclude(silent, { reason: "unreachable", message: `no connection to ${url} within 100 ms` })
      const plain = yield* serve(({ socket }) => socket.end(ok("a")))
      const other = yield* Effect.flip(http.open(get(plain.origin.replace("http:", "https:"))).head)
      assert.deepInclude(other, { reason: "unreachable", message: "no TLS: wrong version number" })
    })
  )

  it.live("is spoken with over TLS, if its certificate is trusted", () =>
    Effect.gen(function* () {
      const file = (name: string) => Fs.readFileSync(new URL(`../support/tls/${name}.pem`, import.meta.url), "utf8")
      const tls = { key: file("key"), cert: file("certificate") }
      const server = yield* serve(({ socket }) => socket.write(ok("secret")), { tls })
      const http = yield* transport
      const distrusted = yield* Effect.flip(http.open(get(server.origin)).head)
      assert.strictEqual(distrusted.reason, "unreachable")
      assert.match(distrusted.message, /self-signed certificate/)
      const before = Tls.getCACertificates("default")
      yield* Effect.acquireRelease(
        Effect.sync(() => Tls.setDefaultCACertificates([...before, tls.cert])),
        () => Effect.sync(() => Tls.setDefaultCACertificates(before))
      )
      const connections = server.connections()
      for (const url of [server.origin, server.origin, server.origin.replace("127.0.0.1", "localhost")]) {
        assert.strictEqual((yield* whole(http.open(get(url)))).body, "secret")
      }
      assert.strictEqual(server.connections(), connections + 2)
    })
  )
})
