import type { Agent } from "node:http"
import type { LookupFunction } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as HttpExchange from "./HttpExchange.ts"

/** An HTTP client. Each request has a connection to itself while it lasts; idle ones are kept for later requests. */
export interface HttpTransport {
  readonly open: (request: HttpExchange.HttpRequest) => HttpExchange.HttpExchange
  readonly close: () => void
}

/** A transport that is closed with its scope. */
export const scoped: Effect.Effect<HttpTransport, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => make()),
  (transport) => Effect.sync(() => transport.close())
)

/**
 * How long a connection may stay idle, in milliseconds. A request on a connection whose server has vanished hangs for
 * as long as the system retransmits, so kept connections are short-lived.
 */
const maxIdleMs = 5000

/**
 * HTTP/1.1 over Node's client, which is loaded with the first request. `lookup` replaces the system's resolution of
 * names. There is no limit on silence, and a body that is not read is not received either, so that back-pressure
 * reaches the server.
 */
export const make = (lookup?: LookupFunction): HttpTransport => {
  const agents = new Map<string, Agent>()
  const agentOf = (protocol: string): Agent => {
    const known = agents.get(protocol)
    if (known !== undefined) return known
    const node = process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http")
    const agent = new node.Agent({ keepAlive: true, timeout: maxIdleMs, ...(lookup === undefined ? {} : { lookup }) })
    agents.set(protocol, agent)
    return agent
  }
  return {
    open: (request) => {
      const url = new URL(request.url)
      return HttpExchange.send(request, url, agentOf(url.protocol))
    },
    close: () => agents.forEach((agent) => agent.destroy())
  }
}
