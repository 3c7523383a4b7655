import { randomBytes } from "node:crypto"
import { once } from "node:events"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { isRecord } from "./Entry.ts"
import { refusal } from "./Guard.ts"
import type { History } from "./History.ts"
import type { PageFile } from "./PageFiles.ts"
import { streamTo } from "./Stream.ts"

export interface ServerOptions {
  readonly history: History
  /** By name; the page itself is the empty one. */
  readonly files: ReadonlyMap<string, PageFile>
  readonly port: number
  /** Whether the conversation goes on: a page then shows its buttons. */
  readonly live: () => boolean
  /** Sends a request to the sidecar; false where there is nobody to send it to. */
  readonly post: (type: string, payload: unknown) => boolean
}

export interface Server {
  readonly url: string
  /** Tells every page that the conversation has ended. */
  readonly tellEnd: () => void
  readonly close: () => Promise<void>
}

const maxBody = 4 * 1024 * 1024
const maxFrames = 4 * 1024 * 1024

const headers = {
  // What the model says is text, whatever it says: nothing of it is run, loaded or sent anywhere.
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store"
}

/** Serves the page on loopback, under an address that nobody can guess. */
export const startServer = async ({ files, history, live, port, post }: ServerOptions): Promise<Server> => {
  const token = randomBytes(16).toString("hex")
  const pages = new Set<{ readonly tellEnd: () => void; readonly close: () => void }>()

  const answer = async (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    const own = { port: (server.address() as AddressInfo).port, token }
    const { headers: head, method = "", url = "" } = request
    const { pathname, searchParams } = new URL(url, "http://localhost")
    const asked = { method, path: pathname, host: head.host, origin: head.origin, contentType: head["content-type"] }
    const site = head["sec-fetch-site"]
    const refused = refusal({ ...asked, site: typeof site === "string" ? site : undefined }, own)
    if (refused !== undefined) return respond(response, refused)
    const name = pathname.slice(token.length + 2)
    if (method === "POST") return respond(response, name === "request" ? await take(request) : 404)
    if (name === "stream") {
      const page = streamTo(response, history, { live, after: Number(head["last-event-id"] ?? 0) || 0 })
      pages.add(page)
      return void response.once("close", () => pages.delete(page))
    }
    if (name === "frames") {
      const from = Number(searchParams.get("from") ?? 1) || 1
      const count = Math.min(500, Number(searchParams.get("count") ?? 1) || 1)
      const { texts } = history.after(from - 1, maxFrames)
      const body = `[${texts.slice(0, count).join(",")}]`
      return respond(response, 200, { type: "application/json", body })
    }
    return respond(response, files.has(name) ? 200 : 404, files.get(name))
  }

  const take = async (request: Http.IncomingMessage): Promise<number> => {
    const parts: Array<Buffer> = []
    let size = 0
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length
      if (size > maxBody) return 413
      parts.push(part)
    }
    let body: unknown
    try {
      body = JSON.parse(Buffer.concat(parts).toString("utf8"))
    } catch {
      return 400
    }
    if (!isRecord(body) || typeof body["type"] !== "string") return 400
    return post(body["type"], body["payload"] ?? {}) ? 204 : 409
  }

  const server = Http.createServer((request, response) => {
    answer(request, response).catch(() => respond(response, 500))
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${token}/`,
    tellEnd: () => pages.forEach((page) => page.tellEnd()),
    close: async () => {
      for (const page of pages) page.close()
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    }
  }
}

const respond = (response: Http.ServerResponse, status: number, file?: PageFile): void => {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const type = file === undefined ? {} : { "content-type": file.type }
  response.writeHead(status, { ...headers, ...type, ...(status === 413 ? { connection: "close" } : {}) })
  response.end(file?.body)
}
