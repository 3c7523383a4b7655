import { Buffer } from "node:buffer"
import type { IncomingHttpHeaders, RequestOptions } from "node:http"
import { unbracketed } from "../domain/HostName.ts"
import { mayConnect } from "./HostRules.ts"
import { refuse } from "../files/Refused.ts"
import { isSystemError } from "../domain/SystemError.ts"

/** One request as it goes out. */
export interface HttpExchange {
  readonly url: URL
  readonly method: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer | undefined
}

/** What came back. */
export interface HttpAnswer {
  readonly status: number
  readonly reason: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The body went on beyond what was read. */
  readonly isCut: boolean
}

/** All addresses of a name. */
export type Lookup = (host: string) => Promise<ReadonlyArray<{ readonly address: string; readonly family: number }>>

export const systemLookup: Lookup = (host) =>
  process.getBuiltinModule("node:dns").promises.lookup(host, { all: true, verbatim: true })

/**
 * One request and its answer, redirects not followed. The name is looked up once, every address of it must be allowed,
 * and the connection goes to one of those: what the name means a moment later is of no account.
 */
export const exchange = async (
  request: HttpExchange,
  allowlist: ReadonlyArray<string>,
  maxBytes: number,
  lookup: Lookup,
  signal: AbortSignal
): Promise<HttpAnswer> => {
  const { url } = request
  const host = unbracketed(url.hostname)
  const { isIP } = process.getBuiltinModule("node:net")
  const addresses = isIP(host) === 0 ? await lookUp(lookup, host) : [{ address: host, family: isIP(host) }]
  const refused = addresses.find(({ address }) => !mayConnect(url, address, allowlist))
  if (refused !== undefined) {
    const means = refused.address === host ? "" : `, which is ${refused.address},`
    throw refuse(`${host}${means} is not a public address; http.hostAllowlist in the configuration can allow it`)
  }
  signal.throwIfAborted()
  return send(request, addresses, maxBytes, signal)
}

const lookUp = async (lookup: Lookup, host: string) => {
  const addresses = await lookup(host).catch((error: unknown) => {
    throw isSystemError(error) ? refuse(`${host} could not be found (${error.code})`) : error
  })
  if (addresses.length === 0) throw refuse(`${host} has no address`)
  return addresses
}

type LookupOption = NonNullable<RequestOptions["lookup"]>

const send = (
  { body, headers, method, url }: HttpExchange,
  addresses: Awaited<ReturnType<Lookup>>,
  maxBytes: number,
  signal: AbortSignal
): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const pinned: LookupOption = (_, options, done) => {
      const [first] = addresses
      if (options.all === true) done(null, [...addresses])
      else if (first !== undefined) done(null, first.address, first.family)
    }
    const options: RequestOptions = { method, headers, lookup: pinned, agent: false, signal }
    const { request } =
      url.protocol === "https:" ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http")
    let hasAnswer = false
    const outgoing = request(url, options, (incoming) => {
      hasAnswer = true
      const pieces: Array<Buffer> = []
      let length = 0
      const settle = (isCut: boolean) =>
        resolve({
          status: incoming.statusCode ?? 0,
          reason: incoming.statusMessage ?? "",
          headers: incoming.headers,
          body: Buffer.concat(pieces),
          isCut
        })
      incoming.on("data", (piece: Buffer) => {
        const kept = piece.subarray(0, maxBytes - length)
        pieces.push(kept)
        length += kept.length
        if (kept.length === piece.length) return
        settle(true)
        outgoing.destroy()
      })
      incoming.on("end", () => settle(false))
      incoming.on("error", () => {})
      incoming.on("close", () => reject(refuse(`the connection was cut after ${length} bytes of the answer`)))
    })
    outgoing.on("error", (error) => reject(signal.aborted ? error : refuse(`the request failed: ${reasonOf(error)}`)))
    // Without an answer and without an error, as when the other side would rather speak something else.
    outgoing.on("close", () => {
      if (!hasAnswer) reject(refuse("the connection ended without an answer"))
    })
    outgoing.end(body)
  })

const reasonOf = (error: NodeJS.ErrnoException): string =>
  error.message === "" ? (error.code ?? "unknown reason") : error.message
