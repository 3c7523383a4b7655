import * as HttpBody from "./HttpBody.ts"
import type { BodyState } from "./HttpBody.ts"

/** Status and headers of an answer. */
export interface HttpAnswer {
  readonly status: number
  readonly statusText: string
  /** By names in lower case; what came several times is joined with commas. */
  readonly headers: { readonly [name: string]: string | undefined }
}

/** What the bytes are so far that an answer begins with. */
export type HeadStep =
  | { readonly _tag: "Unfinished" }
  | { readonly _tag: "Wrong"; readonly detail: string }
  | {
      readonly _tag: "Whole"
      readonly answer: HttpAnswer
      /** Where the reader of the body begins. */
      readonly body: BodyState
      /** Whether the connection can be used again behind the body. */
      readonly keepsAlive: boolean
      /** How long the server keeps an idle connection, in milliseconds; undefined where it does not say. */
      readonly idleMs: number | undefined
      /** Of the head, in bytes. */
      readonly length: number
    }

/** No head is longer, in bytes. */
const maxHeadBytes = 16 * 1024

/** What is said of the message itself, which nobody else knows better. */
const framing = /^(host|connection|content-length|transfer-encoding)$/i

/** The text of a request's head. Its headers may hold visible ASCII characters and blanks. */
export const write = (
  method: string,
  url: URL,
  headers: { readonly [name: string]: string },
  bodyBytes: number | undefined
): string => {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: keep-alive\r\n`
  for (const [name, value] of Object.entries(headers)) {
    if (!framing.test(name)) head += `${name}: ${value}\r\n`
  }
  const isKeyed = Object.keys(headers).some((name) => /^authorization$/i.test(name))
  if (url.username !== "" && !isKeyed) head += `Authorization: ${basic(url)}\r\n`
  if (bodyBytes !== undefined) head += `Content-Length: ${bodyBytes}\r\n`
  return `${head}\r\n`
}

/** Reads the head of an answer (RFC 9112) from its first byte; lines may end without CR, as some servers' do. */
export const read = (bytes: Buffer): HeadStep => {
  const text = bytes.toString("latin1", 0, maxHeadBytes)
  const from = /[^\r\n]|$/.exec(text)?.index ?? 0
  if (!protocol.startsWith(text.slice(from, from + protocol.length))) {
    const detail = `what answers there is no HTTP server: it begins with ${JSON.stringify(text.slice(from, from + 40))}`
    return { _tag: "Wrong", detail }
  }
  const end = /\r?\n\r?\n/.exec(text.slice(from))
  if (end === null) {
    return bytes.length < maxHeadBytes ? { _tag: "Unfinished" } : wrong(`its head is longer than ${maxHeadBytes} bytes`)
  }
  const [first = "", ...lines] = text.slice(from, from + end.index).split(/\r?\n/)
  const [, minor, status, statusText = ""] = statusLine.exec(first) ?? []
  if (status === undefined) return wrong(`its status line is ${JSON.stringify(first.slice(0, 100))}`)
  const headers = headersOf(lines)
  if (typeof headers === "string") return wrong(`a line of its head is ${JSON.stringify(headers.slice(0, 100))}`)
  const answer = { status: Number(status), statusText, headers }
  const body = HttpBody.start(answer.status, headers)
  if (typeof body === "string") return wrong(body)
  const [, seconds] = /(?:^|[\s,])timeout=(\d+)/i.exec(headers["keep-alive"] ?? "") ?? []
  return {
    _tag: "Whole",
    answer,
    body,
    keepsAlive: keepsAlive(minor === "1", headers.connection ?? ""),
    idleMs: seconds === undefined ? undefined : Number(seconds) * 1000,
    length: from + end.index + end[0].length
  }
}

const basic = ({ password, username }: URL): string =>
  `Basic ${Buffer.from(decodeURIComponent(`${username}:${password}`)).toString("base64")}`

const protocol = "HTTP/1."

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: (.*))?$/

const headerLine = /^([\w!#$%&'*+.^`|~-]+):(.*)$/

const wrong = (why: string): HeadStep => ({ _tag: "Wrong", detail: `the head of the answer cannot be read: ${why}` })

/** The headers; or the line that is none. A line that begins with a blank goes on with the one before. */
const headersOf = (lines: ReadonlyArray<string>): HttpAnswer["headers"] | string => {
  const headers: { [name: string]: string | undefined } = Object.create(null)
  let last: string | undefined
  for (const line of lines) {
    if (last !== undefined && /^[ \t]/.test(line)) {
      headers[last] = `${headers[last]} ${line.trim()}`.trim()
      continue
    }
    const [, name, value = ""] = headerLine.exec(line) ?? []
    if (name === undefined) return line
    last = name.toLowerCase()
    const before = headers[last]
    headers[last] = before === undefined ? value.trim() : `${before}, ${value.trim()}`
  }
  return headers
}

const keepsAlive = (isByDefault: boolean, connection: string): boolean => {
  const wishes = connection.toLowerCase().split(/\s*,\s*/)
  return isByDefault ? !wishes.includes("close") : wishes.includes("keep-alive")
}
