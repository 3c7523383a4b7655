import * as Net from "node:net"
import * as Tls from "node:tls"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** One connection to the server, and how many of them and of its requests there had been. */
export interface Asked {
  readonly socket: Net.Socket
  /** From 0. */
  readonly connection: number
  /** From 0, on this connection. */
  readonly request: number
  readonly text: string
}

export interface RawServer {
  readonly origin: string
  /** Connections so far. */
  readonly connections: () => number
  /** Done once the client has closed the n-th connection (from 0). */
  readonly closed: (connection: number) => Promise<void>
}

/** A server that says just the bytes it is told to; a request is what comes in one read. */
export const serve = (
  answer: (asked: Asked) => void,
  options: { readonly host?: string; readonly tls?: Tls.TlsOptions } = {}
): Effect.Effect<RawServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { host = "127.0.0.1", tls } = options
      const sockets: Array<Net.Socket> = []
      const closings: Array<PromiseWithResolvers<void>> = []
      const closing = (at: number) => (closings[at] ??= Promise.withResolvers<void>())
      const onSocket = (socket: Net.Socket) => {
        const connection = sockets.push(socket) - 1
        let request = 0
        socket.on("error", () => {})
        socket.on("close", () => closing(connection).resolve())
        socket.on("data", (bytes) => {
          answer({ socket, connection, request, text: bytes.toString() })
          request += 1
        })
      }
      const server = tls === undefined ? Net.createServer(onSocket) : Tls.createServer(tls, onSocket)
      await new Promise<void>((resolve) => server.listen(0, host, resolve))
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const shown = host.includes(":") ? `[${host}]` : host
      return {
        origin: `${tls === undefined ? "http" : "https"}://${shown}:${port}`,
        connections: () => sockets.length,
        closed: (connection: number) => closing(connection).promise,
        stop: () => {
          sockets.forEach((socket) => socket.destroy())
          server.close()
        }
      }
    }),
    ({ stop }) => Effect.sync(stop)
  )
