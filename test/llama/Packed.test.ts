import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Zlib from "node:zlib"
import { delta, done, stop, text } from "./dialects/Row.ts"
import { textOf } from "./support/captures.ts"
import { outcome, question, setUp } from "./support/client.ts"

const stream = delta({ role: "assistant", content: null }) + text("Hi") + text(" you 🚀") + stop + done

const answer = (encoding: string, body: Uint8Array, status = "200 OK") => ({
  raw: Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status}\r\nContent-Type: text/event-stream\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`
    ),
    body
  ]),
  chunkBytes: 20
})

describe("an answer that a proxy has packed", () => {
  const rows = [
    ["gzip", Zlib.gzipSync],
    ["x-gzip", Zlib.gzipSync],
    [" GZIP ", Zlib.gzipSync],
    ["deflate", Zlib.deflateSync],
    ["br", Zlib.brotliCompressSync],
    ["identity", (bytes: Uint8Array) => bytes]
  ] as const
  for (const [encoding, pack] of rows) {
    it.live(`as ${encoding} is read like any other`, () =>
      Effect.gen(function* () {
        const { client } = yield* setUp({ answer: answer(encoding, pack(Buffer.from(stream))) })
        const { events, failure } = yield* outcome(client.stream(question()))
        assert.isUndefined(failure)
        assert.strictEqual(textOf(events), "Hi you 🚀")
      })
    )
  }

  it.live("tells its error in its own words", () =>
    Effect.gen(function* () {
      const body = Zlib.gzipSync(JSON.stringify({ error: { message: "boom" } }))
      const { client } = yield* setUp({ answer: answer("gzip", body, "400 Bad Request") })
      const { failure } = yield* outcome(client.stream(question()))
      assert.deepInclude(failure, { _tag: "Rejected", detail: "boom" })
    })
  )

  it.live("is told of where it cannot be unpacked", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp({ answer: answer("compress", Buffer.from("x")) })
      const { failure } = yield* outcome(client.stream(question()))
      assert.deepInclude(failure, {
        _tag: "Malformed",
        detail: 'the answer is packed as "compress", which cannot be read'
      })
      server.answer(answer("gzip", Buffer.from(stream)))
      const { failure: other } = yield* outcome(client.stream(question()))
      assert.match(other?.message ?? "", /incorrect header check/)
    })
  )

  it.live("has all been read that came before it breaks off", () =>
    Effect.gen(function* () {
      const packed = Zlib.gzipSync(text("Hi"))
      const { client } = yield* setUp({ answer: answer("gzip", packed.subarray(0, -8)) })
      const { events, failure } = yield* outcome(client.stream(question()))
      assert.strictEqual(textOf(events), "Hi")
      assert.strictEqual(failure?._tag, "Cut")
    })
  )

  it.live("was not asked for", () =>
    Effect.gen(function* () {
      const { server, client } = yield* setUp()
      yield* outcome(client.stream(question()))
      assert.strictEqual(server.chats[0]?.headers["accept-encoding"], "identity")
    })
  )
})
