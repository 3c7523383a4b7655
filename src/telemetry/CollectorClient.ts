import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** For a whole request, in milliseconds: a collector that hangs must not be given more and more. */
const requestTimeoutMs = 3000

/** How much of a response's body is read, in bytes. */
const maxBodyBytes = 64 * 1024

/**
 * Effect's client over `fetch`, with limits that the exporter does not set: it reads bodies whole and waits for ever.
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transform((send, request) =>
      send.pipe(
        Effect.tap(drain),
        Effect.timeoutOrElse({
          duration: requestTimeoutMs,
          orElse: () => {
            const description = `no answer within ${requestTimeoutMs} ms`
            const reason = new HttpClientError.TransportError({ request, description })
            return Effect.fail(new HttpClientError.HttpClientError({ reason }))
          }
        })
      )
    )
  )
).pipe(
  Layer.provide(FetchHttpClient.layer),
  // A redirect would take the headers, and with them a key, to another host.
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

/**
 * Reads a body to its end, so that the connection can be used again; one without an end is given up. The status has said
 * all: a body that cannot be read is no reason to send again.
 */
const drain = ({ stream }: HttpClientResponse): Effect.Effect<void> =>
  stream.pipe(
    Stream.mapAccum(
      () => 0,
      (size, bytes) => [size + bytes.length, [size + bytes.length]]
    ),
    Stream.takeUntil((size) => size > maxBodyBytes),
    Stream.runDrain,
    Effect.ignore
  )
