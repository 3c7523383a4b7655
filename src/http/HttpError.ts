import * as Schema from "effect/Schema"

/**
 * A request that failed. `unreachable`: no connection, or it ended before a response began. `malformed`: the response
 * is not HTTP, or its encoding is unknown. `cut`: the body broke off, or cannot be decoded. `aborted`: the caller
 * closed the connection.
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

/** The connection ended within the body; `why` is the cause, if it is known. */
export const cut = (why?: string): HttpError =>
  broken(`the connection broke in the middle of the answer${why === undefined ? "" : ` (${why})`}`)

/** Maps an error of Node's client that came before the response began. */
export const beforeResponse = (error: Error): HttpError => {
  if ("rawPacket" in error) return malformed(unparsableDetail(error, Buffer.from(error.rawPacket as Uint8Array)))
  if (error.message === "socket hang up") return closedEarly
  return unreachable(detailOf(error))
}

export const closedEarly = unreachable("the server closed the connection before it answered")

/**
 * The detail for an error of Node's client. OpenSSL's messages are reduced to their reason; an error for several
 * addresses has no message of its own, so theirs are joined.
 */
export const detailOf = (error: Error): string => {
  const insecure = /:SSL routines:[^:]*:([^:\n]+)/.exec(error.message)?.[1]
  if (insecure !== undefined) return `no TLS: ${insecure}`
  const inner = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : []
  if (inner.length > 0) return inner.map((each) => each.message).join("; ")
  return error.message.replace(/^Parse Error: /, "") || error.name
}

/** The detail for a response that could not be parsed; `packet` is its first bytes. */
const unparsableDetail = (error: Error, packet: Buffer): string => {
  const start = packet.toString("latin1", 0, 40)
  return start.trimStart().startsWith("HTTP/1.")
    ? `the head of the answer cannot be read: ${detailOf(error)}`
    : `what answers there is no HTTP server: it begins with ${JSON.stringify(start)}`
}
