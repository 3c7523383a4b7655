import { Buffer } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import * as Effect from "effect/Effect"
import { isSystemError } from "../domain/SystemError.ts"
import { type Refused, refuse } from "../files/Refused.ts"
import { unbracketed } from "../http/HostName.ts"
import { mayConnect } from "../http/HttpAllowlist.ts"
import type { HttpExchange } from "../http/HttpExchange.ts"
import * as HttpTransport from "../http/HttpTransport.ts"

/** One request as it is sent. */
export interface PinnedRequest {
  readonly url: URL
  readonly method: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer | undefined
}

export interface PinnedResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The body is longer than what was read. */
  readonly isCut: boolean
}

/** One address of a name; `family` is 4 or 6. */
export interface HostAddress {
  readonly address: string
  readonly family: number
}

/** All addresses of a name. */
export type Lookup = (host: string) => Promise<ReadonlyArray<HostAddress>>

export const systemLookup: Lookup = (host) =>
  process.getBuiltinModule("node:dns").promises.lookup(host, { all: true, verbatim: true })

/**
 * Sends one request and reads at most `maxBytes` of its response; redirects are not followed. The name is looked up
 * once, every address must be allowed, and the connection goes to one of these: a name that resolves to another address a
 * moment later changes nothing.
 */
export const send = Effect.fnUntraced(function* (
  request: PinnedRequest,
  allowlist: ReadonlyArray<string>,
  maxBytes: number,
  lookup: Lookup
): Effect.fn.Return<PinnedResponse, Refused> {
  const { url } = request
  const host = unbracketed(url.hostname)
  const { isIP } = process.getBuiltinModule("node:net")
  const addresses = isIP(host) === 0 ? yield* lookUp(lookup, host) : [{ address: host, family: isIP(host) }]
  const refused = addresses.find(({ address }) => !mayConnect(url, address, allowlist))
  if (refused !== undefined) {
    const means = refused.address === host ? "" : `, which is ${refused.address},`
    return yield* refuse(
      `${host}${means} is not a public address; http.hostAllowlist in the configuration can allow it`
    )
  }
  return yield* Effect.acquireUseRelease(
    Effect.sync(() => transportTo(addresses)),
    (transport) =>
      Effect.suspend(() => {
        const { body, headers, method } = request
        const exchange = transport.open({
          method,
          url: url.href,
          headers,
          keepsEncoding: true,
          ...(body === undefined ? {} : { body })
        })
        return read(exchange, maxBytes)
      }),
    (transport) => Effect.sync(() => transport.close())
  )
})

const lookUp = (lookup: Lookup, host: string): Effect.Effect<ReadonlyArray<HostAddress>, Refused> =>
  Effect.promise(() => lookup(host)).pipe(
    Effect.catchDefect((error) =>
      isSystemError(error) ? Effect.fail(refuse(`${host} could not be found (${error.code})`)) : Effect.die(error)
    ),
    Effect.filterOrFail(
      (addresses) => addresses.length > 0,
      () => refuse(`${host} has no address`)
    )
  )

/** A transport that connects to these addresses only, whatever the host of a URL is. */
const transportTo = (addresses: ReadonlyArray<HostAddress>): HttpTransport.HttpTransport =>
  HttpTransport.make((_, options, done) => {
    const [first] = addresses
    if (options.all === true) done(null, [...addresses])
    else if (first !== undefined) done(null, first.address, first.family)
  })

const read = Effect.fnUntraced(function* (
  exchange: HttpExchange,
  maxBytes: number
): Effect.fn.Return<PinnedResponse, Refused> {
  const head = yield* Effect.mapError(exchange.head, ({ detail }) => refuse(`the request failed: ${detail}`))
  const parts: Array<Uint8Array> = []
  let length = 0
  while (length <= maxBytes) {
    const bytes = yield* Effect.mapError(exchange.read, () =>
      refuse(`the connection was cut after ${length} bytes of the answer`)
    )
    if (bytes === null) return { ...head, body: Buffer.concat(parts), isCut: false }
    parts.push(bytes)
    length += bytes.length
  }
  return { ...head, body: Buffer.concat(parts).subarray(0, maxBytes), isCut: true }
})
