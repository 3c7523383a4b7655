import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as CollectorClient from "../../src/telemetry/CollectorClient.ts"

/** A collector; its URL. */
const collector = (answer: (response: Http.ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.callback<Http.Server>((resume) => {
      const server = Http.createServer((_request, response) => answer(response))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

describe("the client of the exporter", () => {
  it.live("gives up an answer without an end, and closes its connection", () =>
    Effect.gen(function* () {
      const gone = Deferred.makeUnsafe<void>()
      let sent = 0
      const url = yield* collector((response) => {
        response.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(16 * 1024))) sent++
          response.once("drain", more)
        }
        more()
      })
      const { status } = yield* HttpClient.post(url).pipe(Effect.provide(CollectorClient.layer))
      assert.strictEqual(status, 200)
      yield* Deferred.await(gone)
      // As much as the sockets hold, and no more than that.
      assert.isBelow(sent * 16, 32 * 1024)
    })
  )

  it.live("follows no redirect: the key in its headers is for one host", () =>
    Effect.gen(function* () {
      let followed = 0
      const other = yield* collector((response) => {
        followed += 1
        response.end("{}")
      })
      const url = yield* collector((response) => {
        response.writeHead(307, { Location: other }).end()
      })
      const { status } = yield* HttpClient.post(url).pipe(Effect.provide(CollectorClient.layer))
      assert.deepStrictEqual([status, followed], [307, 0])
    })
  )

  it.live("takes a status for what it is, whatever comes behind it", () =>
    Effect.gen(function* () {
      const url = yield* collector((response) => {
        response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": 3 }).end("{}!")
      })
      const { status } = yield* HttpClient.post(url).pipe(Effect.provide(CollectorClient.layer))
      assert.strictEqual(status, 200)
    })
  )

  it.live("uses a connection again whose answer came to its end", () =>
    Effect.gen(function* () {
      const ports = new Set<number | undefined>()
      const url = yield* collector((response) => {
        ports.add(response.socket?.remotePort)
        response.end("{}")
      })
      const twice = Effect.repeat(HttpClient.post(url), { times: 1 })
      yield* twice.pipe(Effect.provide(CollectorClient.layer))
      assert.strictEqual(ports.size, 1)
    })
  )
})
