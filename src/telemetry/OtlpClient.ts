import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as HttpTransport from "../llama/HttpTransport.ts"
import { Cut } from "../llama/LlamaError.ts"

/** For a whole request, in milliseconds: a collector that hangs must not be given more and more. */
const requestTimeoutMs = 3000

/** What is read of an answer, of which nothing is needed, in bytes. */
const maxAnswerBytes = 64 * 1024

/** An HTTP client that can do what an exporter needs, over the transport that the model is reached by. */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const transport = yield* Effect.acquireRelease(
      Effect.sync(() => HttpTransport.make()),
      (transport) => Effect.sync(() => transport.close())
    )

    const send = (request: HttpClientRequest.HttpClientRequest, url: string) =>
      Effect.acquireUseRelease(
        Effect.sync(() => transport.open(requestOf(request, url))),
        (exchange) =>
          Effect.gen(function* () {
            const { headers, status } = yield* exchange.answer
            // To its end, so that the connection can be used again; a body without an end is given up.
            for (let left = maxAnswerBytes; left > 0;) {
              // The collector has said what it has to say: what cannot be read of the rest is no reason to send again.
              const bytes = yield* Effect.orElseSucceed(exchange.read, () => null)
              if (bytes === null) break
              left -= bytes.length
            }
            return responseOf(request, status, headers["retry-after"])
          }).pipe(Effect.mapError(({ message }) => failed(request, message))),
        (exchange) => Effect.sync(() => exchange.abort(Cut.make({ detail: "the request is over" })))
      )

    return HttpClient.make((request, { href }) =>
      send(request, href).pipe(
        Effect.timeoutOrElse({
          duration: requestTimeoutMs,
          orElse: () => Effect.fail(failed(request, `no answer within ${requestTimeoutMs} ms`))
        })
      )
    )
  })
)

const requestOf = ({ body, headers }: HttpClientRequest.HttpClientRequest, url: string): HttpTransport.HttpRequest => ({
  method: "POST",
  url,
  headers: { ...headers, ...(body._tag === "Uint8Array" ? { "content-type": body.contentType } : {}) },
  connectTimeoutMs: requestTimeoutMs,
  ...(body._tag === "Uint8Array" ? { body: body.text ?? Buffer.from(body.body).toString("utf8") } : {})
})

const failed = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description }) })

/** Status and `Retry-After` are all that an exporter looks at; Node's own `Response` would load a second HTTP client. */
const responseOf = (
  request: HttpClientRequest.HttpClientRequest,
  status: number,
  retryAfter: string | undefined
): HttpClientResponse.HttpClientResponse => {
  const headers = retryAfter === undefined ? [] : [["retry-after", retryAfter]]
  const response: unknown = { status, headers, url: "", body: null, arrayBuffer: async () => new ArrayBuffer(0) }
  return HttpClientResponse.fromWeb(request, response as Response)
}
