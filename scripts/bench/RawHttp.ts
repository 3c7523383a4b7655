import type { Socket } from "node:net"

export interface HttpRequest {
  readonly path: string
  readonly body: string
}

/** Reads requests, one after another, off a kept-alive connection; bodies by length or in chunks. */
export const readRequests = (socket: Socket, onRequest: (request: HttpRequest) => void): void => {
  let waiting = Buffer.alloc(0)
  socket.on("data", (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes])
    for (let next = takeRequest(waiting); next !== undefined; next = takeRequest(waiting)) {
      waiting = waiting.subarray(next.length)
      onRequest(next.request)
    }
  })
}

/** The first request in the bytes and how many of them it took; undefined until it is whole. */
export const takeRequest = (bytes: Buffer): { readonly request: HttpRequest; readonly length: number } | undefined => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const headers = bytes.toString("latin1", 0, end)
  const path = headers.split(" ")[1] ?? "/"
  const start = end + 4
  if (/^transfer-encoding: *chunked/im.test(headers)) {
    const body = takeChunks(bytes, start)
    return body && { request: { path, body: body.text }, length: body.end }
  }
  const length = Number(/^content-length: *(\d+)/im.exec(headers)?.[1] ?? 0)
  if (bytes.length < start + length) return undefined
  return { request: { path, body: bytes.toString("utf8", start, start + length) }, length: start + length }
}

const takeChunks = (bytes: Buffer, start: number): { readonly text: string; readonly end: number } | undefined => {
  const parts: Array<Buffer> = []
  let at = start
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return { text: Buffer.concat(parts).toString("utf8"), end: next }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = next
  }
}
