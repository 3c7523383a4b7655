import * as Schema from "effect/Schema"

/**
 * A request that failed. `unreachable`: no connection, or it ended before a response began. `malformed`: what came is no
 * HTTP response that can be read. `cut`: the body broke off, or cannot be decoded. `aborted`: we closed the connection ourselves.
 */
export class HttpError extends Schema.TaggedError<HttpError>()("HttpError", {
  reason: Schema.Literals(["unreachable", "malformed", "cut", "aborted"]),
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

export const unreachable = (detail: string): HttpError => new HttpError({ reason: "unreachable", detail })

export const malformed = (detail: string): HttpError => new HttpError({ reason: "malformed", detail })

export const aborted = (detail: string): HttpError => new HttpError({ reason: "aborted", detail })

export const broken = (detail: string): HttpError => new HttpError({ reason: "cut", detail })

/** The connection ended within the body, for a reason if one is known. */
export const cut = (why?: string): HttpError =>
  broken(`the connection broke in the middle of the answer${why === undefined ? "" : ` (${why})`}`)

/** An error of node's client before the response began. */
export const beforeResponse = (error: Error): HttpError => {
  if ("rawPacket" in error) return malformed(unreadable(error, Buffer.from(error.rawPacket as Uint8Array)))
  if (error.message === "socket hang up") return closedEarly
  return unreachable(inWords(error))
}

export const closedEarly = unreachable("the server closed the connection before it answered")

/** The detail of an error of node's client. OpenSSL's messages and those of several addresses need other words. */
export const inWords = (error: Error): string => {
  const insecure = /:SSL routines:[^:]*:([^:\n]+)/.exec(error.message)?.[1]
  if (insecure !== undefined) return `no TLS: ${insecure}`
  const inner = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : []
  if (inner.length > 0) return inner.map((each) => each.message).join("; ")
  return error.message.replace(/^Parse Error: /, "") || error.name
}

/** `packet` is what could not be parsed. */
const unreadable = (error: Error, packet: Buffer): string => {
  const start = packet.toString("latin1", 0, 40)
  return start.trimStart().startsWith("HTTP/1.")
    ? `the head of the answer cannot be read: ${inWords(error)}`
    : `what answers there is no HTTP server: it begins with ${JSON.stringify(start)}`
}
