import { Buffer } from "node:buffer"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { Settings } from "../../src/config/Settings.ts"
import { CoveringGrant } from "../../src/tools/CoveringGrant.ts"
import type { Lookup } from "../../src/tools/PinnedRequest.ts"
import { httpRequest } from "../../src/tools/HttpRequest.ts"
import { call, plan, settings, toolbox } from "./fixture.ts"

const listen = <S extends Server>(server: S) =>
  Effect.acquireRelease(
    Effect.callback<S>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    () => Effect.sync(() => server.close())
  ).pipe(Effect.map((running) => (running.address() as AddressInfo).port))

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

const serving = (handler: Handler) =>
  listen(
    createServer((request, response) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => handler(request, response, Buffer.concat(pieces).toString()))
    })
  )

/** With everything on this machine allowed, unless said otherwise. */
const box = (http: Partial<Settings["http"]> = {}, lookup?: Lookup) => {
  const all = { ...settings.http, hostAllowlist: ["127.0.0.1"], ...http }
  return toolbox({ http: all }, lookup === undefined ? [] : [httpRequest(all, lookup)])
}

const request = (args: object) => call("http.request", args, "/")

describe("http.request", () => {
  it.effect("asks with method, URL, headers and body, and says what came back", () =>
    Effect.gen(function* () {
      const port = yield* serving((incoming, response, body) => {
        response.writeHead(201, { "content-type": "text/plain" })
        response.end(
          `${incoming.method} ${incoming.url} ${incoming.headers["x-a"]} ${incoming.headers["content-type"]} ${body}`
        )
      })
      const args = {
        url: `http://127.0.0.1:${port}/p?q=1#frag`,
        method: "post",
        headers: { "X-A": "b" },
        body: '{"c":1}'
      }
      const planned = yield* plan("http.request", args, "/")
      if (planned._tag !== "Ready") return assert.fail(planned.why)
      assert.strictEqual(planned.need?.category, "http")
      assert.deepStrictEqual(planned.need?.affectedResources, [`http://127.0.0.1:${port}/p?q=1`])
      const preview = planned.need?.preview?.split("\n") ?? []
      assert.strictEqual(preview[0], `POST http://127.0.0.1:${port}/p?q=1`)
      assert.include(preview, "x-a: b")
      assert.deepStrictEqual(preview.slice(-2), ["", '{"c":1}'])
      assert.deepStrictEqual(yield* planned.run, {
        status: "ok",
        summary: 'HTTP 201 Created\ncontent-type: text/plain\n\nPOST /p?q=1 b application/json {"c":1}',
        truncated: false
      })
    }).pipe(Effect.scoped, Effect.provide(box()))
  )

  it.effect("takes 4xx and 5xx for an error, with what the server says", () =>
    Effect.gen(function* () {
      const port = yield* serving((_, response) => {
        response.writeHead(404)
        response.end("no such thing")
      })
      const { status, summary } = yield* request({ url: `http://127.0.0.1:${port}/` })
      assert.strictEqual(status, "error")
      assert.strictEqual(summary, "HTTP 404 Not Found\n\nno such thing")
    }).pipe(Effect.scoped, Effect.provide(box()))
  )

  it.effect("refuses addresses that are not public, without asking where the URL says it all", () =>
    Effect.gen(function* () {
      for (const url of [
        "http://127.0.0.1:1/",
        "http://localhost/",
        "http://[::1]/",
        "http://10.0.0.1/",
        "http://169.254.169.254/"
      ]) {
        const planned = yield* plan("http.request", { url }, "/")
        assert.isTrue(planned._tag === "Refused" && planned.why.includes("http.hostAllowlist"), url)
      }
    }).pipe(Effect.provide(box({ hostAllowlist: [] })))
  )

  it.effect("refuses a name that means a private address, even if only one of its addresses is", () =>
    Effect.gen(function* () {
      const one = yield* request({ url: "http://rebind.example/" })
      assert.strictEqual(one.status, "error")
      assert.include(one.summary, "rebind.example, which is 10.0.0.1, is not a public address")
    }).pipe(
      Effect.provide(
        box({ hostAllowlist: [] }, async () => [
          { address: "93.184.216.34", family: 4 },
          { address: "10.0.0.1", family: 4 }
        ])
      )
    )
  )

  it.effect("connects to the address that was looked at, and looks once", () => {
    let lookups = 0
    const lookup: Lookup = async () => {
      lookups += 1
      return [{ address: lookups === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }]
    }
    return Effect.gen(function* () {
      const port = yield* serving((incoming, response) => response.end(incoming.headers.host))
      const { status, summary } = yield* request({ url: `http://pinned.example:${port}/` })
      assert.strictEqual(status, "ok")
      assert.include(summary, `\n\npinned.example:${port}`)
      assert.strictEqual(lookups, 1)
    }).pipe(Effect.scoped, Effect.provide(box({}, lookup)))
  })

  it.effect("asks the system for names, and tries each address that it knows", () =>
    Effect.gen(function* () {
      const port = yield* serving((_, response) => response.end("here"))
      assert.include((yield* request({ url: `http://localhost:${port}/` })).summary, "here")
    }).pipe(Effect.scoped, Effect.provide(box({ hostAllowlist: ["localhost"] })))
  )

  it.effect("says that a name could not be found", () =>
    Effect.gen(function* () {
      const { status, summary } = yield* request({ url: "http://nowhere.example/" })
      assert.strictEqual(status, "error")
      assert.include(summary, "nowhere.example could not be found (ENOTFOUND)")
    }).pipe(
      Effect.provide(
        box({}, () => Promise.reject(Object.assign(new Error("?"), { code: "ENOTFOUND", syscall: "getaddrinfo" })))
      )
    )
  )

  it.effect("follows redirects, each of them looked at again", () =>
    Effect.gen(function* () {
      const port = yield* serving((incoming, response) => {
        const target = new URL(incoming.url ?? "", "http://x").searchParams.get("to")
        if (target === null) return response.end(`${incoming.method} arrived`)
        response.writeHead(Number(incoming.url?.slice(1, 4)), { location: target })
        return response.end("moved")
      })
      const to = (target: string, code = 302) => `http://127.0.0.1:${port}/${code}?to=${encodeURIComponent(target)}`
      const arrived = yield* request({ url: to("/end"), method: "POST", body: "x" })
      assert.include(arrived.summary, `(redirected to http://127.0.0.1:${port}/end)`)
      assert.include(arrived.summary, "GET arrived")
      assert.include((yield* request({ url: to("/end", 307), method: "POST", body: "x" })).summary, "POST arrived")
      for (const target of [
        "http://169.254.169.254/latest",
        "http://10.0.0.1/",
        "http://[::1]:80/",
        "http://localhost/",
        `http://localhost:${port}/`
      ]) {
        const { status, summary } = yield* request({ url: to(target) })
        assert.strictEqual(status, "error", target)
        assert.include(summary, "is not a public address", target)
      }
      for (const target of ["file:///etc/passwd", "gopher://x/", "http://u:p@127.0.0.1/"]) {
        assert.include((yield* request({ url: to(target) })).summary, "not followed", target)
      }
      assert.include((yield* request({ url: to(to(to(to(to(to("/end")))))) })).summary, "more than 5 redirects")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        box({ hostAllowlist: ["127.0.0.1:*", "127.0.0.1"] }, async (host) => {
          assert.strictEqual(host, "localhost")
          return [{ address: "::1", family: 6 }]
        })
      )
    )
  )

  /** A server that redirects to `to` with the status in its path, and one that says what it got. */
  const redirecting = (to: (own: number, other: number) => string) =>
    Effect.gen(function* () {
      const seen: Array<{ readonly method: string; readonly headers: IncomingHttpHeaders; readonly body: string }> = []
      const arrived: Handler = ({ headers, method = "" }, response, body) => {
        seen.push({ method, headers, body })
        response.end("arrived")
      }
      const other = yield* serving(arrived)
      const own: number = yield* serving((incoming, response, body) => {
        if (incoming.url === "/end") return arrived(incoming, response, body)
        response.writeHead(Number(incoming.url?.slice(1)), { location: to(own, other) })
        return response.end("moved")
      })
      return { own, other, seen }
    })

  const statuses = [301, 302, 303, 307, 308]
  const all = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
  const hops = statuses.flatMap((status) =>
    all.flatMap((method) => [false, true].map((b) => [status, method, b] as const))
  )
  const headers = {
    Accept: "text/x",
    "Accept-Language": "de",
    "User-Agent": "mine",
    "Accept-Encoding": "gzip",
    Authorization: "Bearer s3cret",
    Cookie: "s3cret",
    "X-Api-Key": "s3cret",
    "X-Session": "s3cret",
    "Content-Type": "x/s3cret",
    "Content-Language": "s3cret",
    Referer: "http://s3cret.example/",
    Origin: "http://s3cret.example"
  }

  it.effect.each(hops)(
    "takes to another origin nothing that was not asked about: %s %s, body: %s",
    ([status, method, b]) =>
      Effect.gen(function* () {
        const { other, own, seen } = yield* redirecting((_, port) => `http://127.0.0.1:${port}/end`)
        const given = { url: `http://127.0.0.1:${own}/${status}`, method, headers, ...(b ? { body: "s3cret" } : {}) }
        const result = yield* request(given)
        assert.notInclude(JSON.stringify(seen), "s3cret")
        if (/GET|HEAD/.test(method) && !b) {
          assert.lengthOf(seen, 1)
          const [{ headers: got, method: used } = assert.fail("nothing arrived")] = seen
          assert.strictEqual(used, method)
          assert.deepInclude(got, { accept: "text/x", "accept-language": "de", "user-agent": "mine" })
          assert.strictEqual(got["accept-encoding"], "identity")
          const names = ["host", "connection", "accept", "accept-language", "user-agent", "accept-encoding"]
          assert.sameMembers(Object.keys(got), names)
          return
        }
        assert.lengthOf(seen, 0)
        assert.strictEqual(result.status, "error")
        assert.match(
          result.summary,
          new RegExp(`^HTTP ${status} .*\\n\\(not followed: .* is another origin; .*make the request anew`)
        )
        assert.include(result.summary, `location: http://127.0.0.1:${other}/end`)
      }).pipe(Effect.scoped, Effect.provide(box()))
  )

  it.effect.each(statuses)("goes nowhere but to the granted host where a grant stands for the question: %s", (status) =>
    Effect.gen(function* () {
      const byGrant = (url: string) =>
        Effect.provideService(request({ url }), CoveringGrant, { kind: "host", host: new URL(url).host })
      const away = yield* redirecting((_, port) => `http://127.0.0.1:${port}/end`)
      const result = yield* byGrant(`http://127.0.0.1:${away.own}/${status}`)
      assert.lengthOf(away.seen, 0)
      assert.include(result.summary, `is another origin, and only 127.0.0.1:${away.own} is granted`)
      const same = yield* redirecting(() => "/end")
      assert.include((yield* byGrant(`http://127.0.0.1:${same.own}/${status}`)).summary, "redirected to")
      assert.lengthOf(same.seen, 1)
    }).pipe(Effect.scoped, Effect.provide(box()))
  )

  it.effect.each(hops)("goes on at the same origin as a browser does: %s %s, body: %s", ([status, method, b]) =>
    Effect.gen(function* () {
      const { own, seen } = yield* redirecting(() => "/end")
      const given = { url: `http://127.0.0.1:${own}/${status}`, method, headers, ...(b ? { body: "text" } : {}) }
      assert.include((yield* request(given)).summary, `(redirected to http://127.0.0.1:${own}/end)`)
      const [got = assert.fail("nothing arrived")] = seen
      const becomesGet = status === 303 ? !/GET|HEAD/.test(method) : status < 303 && method === "POST"
      assert.strictEqual(got.method, becomesGet ? "GET" : method)
      assert.strictEqual(got.body, b && !becomesGet ? "text" : "")
      assert.deepInclude(got.headers, { authorization: "Bearer s3cret", "x-session": "s3cret", accept: "text/x" })
      const described = Object.keys(got.headers).filter((name) => /^content-(?!length)/.test(name))
      assert.deepStrictEqual(described.toSorted(), becomesGet ? [] : ["content-language", "content-type"])
    }).pipe(Effect.scoped, Effect.provide(box()))
  )

  it.effect.each(["scheme", "host", "port"] as const)("takes another %s for another origin", (differs) =>
    Effect.gen(function* () {
      const to = (own: number, other: number) =>
        ({
          scheme: `https://127.0.0.1:${own}/end`,
          host: `http://localhost:${own}/end`,
          port: `http://127.0.0.1:${other}/end`
        })[differs]
      const { own, seen } = yield* redirecting(to)
      const result = yield* request({ url: `http://127.0.0.1:${own}/307`, method: "POST", body: "text" })
      assert.include(result.summary, "another origin")
      assert.lengthOf(seen, 0)
    }).pipe(Effect.scoped, Effect.provide(box({ hostAllowlist: ["127.0.0.1", "localhost"] })))
  )

  it.effect("does not bring back on the way home what it left behind", () =>
    Effect.gen(function* () {
      const { own, seen } = yield* redirecting((port) => `http://localhost:${port}/end`)
      const away: number = yield* serving((_, response) => {
        response.writeHead(302, { location: `http://127.0.0.1:${own}/302` })
        response.end()
      })
      yield* request({ url: `http://127.0.0.1:${away}/`, headers })
      assert.lengthOf(seen, 1)
      assert.notInclude(JSON.stringify(seen), "s3cret")
    }).pipe(Effect.scoped, Effect.provide(box({ hostAllowlist: ["127.0.0.1", "localhost"] })))
  )

  it.effect("cuts an answer without end, and hangs up", () =>
    Effect.gen(function* () {
      const hungUp = yield* Deferred.make<void>()
      const port = yield* serving((_, response) => {
        response.on("close", () => Deferred.doneUnsafe(hungUp, Effect.void))
        const more = () => {
          while (response.writable && response.write("é".repeat(10_000)));
          if (response.writable) response.once("drain", more)
        }
        more()
      })
      const { status, summary, truncated } = yield* request({ url: `http://127.0.0.1:${port}/` })
      assert.strictEqual(status, "ok")
      assert.isTrue(truncated)
      assert.include(summary, "cut after 1001 bytes")
      assert.notInclude(summary, "\uFFFD")
      yield* Deferred.await(hungUp)
    }).pipe(Effect.scoped, Effect.provide(box({ maxResponseBytes: 1001 })))
  )

  it.effect("decodes what the server says it is, and shows no binary data", () =>
    Effect.gen(function* () {
      const port = yield* serving((incoming, response) => {
        if (incoming.url === "/latin") {
          response.setHeader("content-type", "text/plain; charset=ISO-8859-1")
          return response.end(Buffer.from("café", "latin1"))
        }
        if (incoming.url === "/odd") {
          response.setHeader("content-type", "text/plain; charset=no-such")
          return response.end("plain")
        }
        if (incoming.url === "/zip") response.setHeader("content-encoding", "gzip")
        return response.end(incoming.url === "/zip" ? gzipSync("x") : Buffer.from([0, 1, 2]))
      })
      const at = (path: string) =>
        Effect.map(request({ url: `http://127.0.0.1:${port}${path}` }), ({ summary }) => summary)
      assert.include(yield* at("/latin"), "café")
      assert.include(yield* at("/odd"), "plain")
      assert.include(yield* at("/zip"), "(gzip data, ")
      assert.include(yield* at("/bin"), "(binary data, 3 bytes)")
    }).pipe(Effect.scoped, Effect.provide(box()))
  )

  const sockets = new Set<Socket>()
  const speaking = (said: string | undefined) =>
    listen(
      createTcpServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("data", () => {
          if (said !== undefined) socket.end(said)
        })
      })
    )

  it.effect("says what went wrong with a server that is none, is silent, or is cut off", () =>
    Effect.gen(function* () {
      const at = (port: number) => Effect.map(request({ url: `http://127.0.0.1:${port}/` }), ({ summary }) => summary)
      assert.include(yield* at(yield* speaking("SSH-2.0-OpenSSH\r\n")), "the request failed")
      assert.include(yield* at(yield* speaking("")), "the request failed")
      assert.include(
        yield* at(yield* speaking("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")),
        "cut after 3 bytes"
      )
      assert.include(
        yield* at(yield* speaking("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n")),
        "without an answer"
      )
      assert.include(yield* at(1), "ECONNREFUSED")
    }).pipe(Effect.scoped, Effect.provide(box()))
  )

  it.effect("gives up after http.defaultTimeoutMs, and hangs up when it is interrupted", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const port = yield* listen(
        createTcpServer((socket) => {
          socket.on("error", () => {})
          socket.on("data", () => Deferred.doneUnsafe(arrived, Effect.void))
          socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
        })
      )
      const fiber = yield* Effect.forkChild(request({ url: `http://127.0.0.1:${port}/` }))
      yield* Deferred.await(arrived)
      yield* TestClock.adjust(1234)
      assert.include((yield* Fiber.join(fiber)).summary, "timed out after 1234 ms")
      yield* Deferred.await(closed)
    }).pipe(Effect.scoped, Effect.provide(box({ defaultTimeoutMs: 1234 })))
  )

  it.effect("refuses absurd arguments, and everything where it is turned off", () =>
    Effect.gen(function* () {
      const why = (args: object) =>
        Effect.map(plan("http.request", args, "/"), (planned) => (planned._tag === "Refused" ? planned.why : "ready"))
      assert.include(yield* why({ url: "example.com" }), "no absolute URL")
      assert.include(yield* why({ url: "" }), "no absolute URL")
      assert.include(yield* why({ url: "file:///etc/passwd" }), "only http and https")
      assert.include(yield* why({ url: "http://u:p@example.com/" }), "credentials in a URL")
      assert.include(yield* why({ url: "http://example.com/", method: "TRACE" }), "method: expected one of")
      assert.include(yield* why({ url: "http://example.com/", headers: { Host: "internal" } }), "cannot be set")
      assert.include(yield* why({ url: "http://example.com/", headers: { "a b": "c" } }), "not a valid one")
      assert.include(yield* why({ url: "http://example.com/", headers: { a: "b\r\nhost: c" } }), "not a valid one")
      assert.include(yield* why({ url: "http://example.com/", headers: { a: 1 } }), "headers.a: expected string")
      assert.include(yield* why({ url: "http://example.com/", body: "x".repeat(11_000_000) }), "larger than")
      const off = plan("http.request", { url: "http://example.com/" }, "/").pipe(
        Effect.provide(box({ enabled: false }))
      )
      const planned = yield* off
      assert.isTrue(planned._tag === "Refused" && planned.why.includes("turned off"))
    }).pipe(Effect.provide(box()))
  )
})
