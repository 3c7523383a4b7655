import type { Agent } from "node:http"
import type { LookupFunction } from "node:net"
import * as HttpExchange from "./HttpExchange.ts"

/** Sends requests, each on a connection of its own while it lasts; idle connections are kept for the next one. */
export interface HttpTransport {
  readonly open: (request: HttpExchange.HttpRequest) => HttpExchange.HttpExchange
  /** Closes all connections. */
  readonly close: () => void
}

/**
 * How long a connection may stay idle, in milliseconds: a server that has vanished without a word would otherwise be
 * asked in vain for as long as the system goes on sending.
 */
const maxIdleMs = 5000

/**
 * HTTP/1.1 over node's client, which is loaded with the first request: `lookup` replaces the system's resolution of
 * names. It sets no limit on silence, and while nobody reads a body it reads nothing of the connection.
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
