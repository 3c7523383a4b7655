import * as HttpConnection from "./HttpConnection.ts"
import * as HttpExchange from "./HttpExchange.ts"
import * as HttpHead from "./HttpHead.ts"

/** One request, on its way to `url`. */
export interface HttpRequest {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string
  /** Milliseconds until the server must have accepted the connection. */
  readonly connectTimeoutMs: number
}

/** Opens exchanges; idle connections are kept for the next one until the server closes them. */
export interface HttpTransport {
  readonly open: (request: HttpRequest) => HttpExchange.HttpExchange
  readonly close: () => void
}

/**
 * HTTP/1.1 on sockets of our own: a token's way through Node's client costs more than all the rest of it. It sets no
 * limit on silence, and reads a socket no further while nobody reads the body. `node:net` is loaded with the first
 * request.
 */
export const make = (): HttpTransport => {
  const connections = new Set<HttpConnection.HttpConnection>()
  const connect = (url: URL): HttpConnection.HttpConnection => {
    const connection = HttpConnection.open(url, (closed) => connections.delete(closed))
    connections.add(connection)
    return connection
  }
  /** The one that was used last is the least likely to be closed by now. */
  const idle = (url: URL) => [...connections].findLast(({ isIdle, origin }) => origin === url.origin && isIdle())
  return {
    open: ({ body, connectTimeoutMs, headers, method, url: text }) => {
      const url = new URL(text)
      const length = body === undefined ? undefined : Buffer.byteLength(body)
      const request = HttpHead.write(method, url, headers, length) + (body ?? "")
      return HttpExchange.send(() => idle(url) ?? connect(url), request, connectTimeoutMs)
    },
    close: () => connections.forEach((connection) => connection.close())
  }
}
