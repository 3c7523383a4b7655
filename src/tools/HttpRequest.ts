import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Settings } from "../config/Settings.ts"
import { cutText } from "../domain/CutText.ts"
import { binaryKind, sniffBytes } from "../files/BinaryKind.ts"
import { isRefusedByName } from "../http/HttpAllowlist.ts"
import { CoveringGrant } from "./CoveringGrant.ts"
import { type Lookup, type PinnedRequest, type PinnedResponse, send, systemLookup } from "./PinnedRequest.ts"
import * as Tool from "./Tool.ts"
import { refuse } from "../files/Refused.ts"

const maxRedirects = 5
const maxBodyBytes = 10 * 1024 * 1024
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** Headers that the model may not set: those of the connection, and those that name the server. */
const ownHeaders = /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*)$/i

/** Headers of every request, unless the model sets them. */
const defaultHeaders = { accept: "*/*", "accept-encoding": "identity", "user-agent": "atomic-agent-sidecar" }

/** Of the headers that the model has set, those that a redirect takes along to another origin. */
const carriedHeaders = new Set(["accept", "accept-language", "user-agent"])

/** Sends a request to a web server (runtime, Tools). */
export const httpRequest = (settings: Settings["http"], lookup: Lookup = systemLookup) =>
  Tool.make({
    name: "http.request",
    description: "Make an HTTP request.",
    parameters: Schema.Struct({
      url: Schema.String.annotateKey({ documentation: "An absolute `http` or `https` URL without credentials" }),
      method: Schema.optionalKey(Schema.String).annotateKey({
        documentation: `One of ${methods.join(", ")}; ${methods[0]} unless given`
      }),
      headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)).annotateKey({
        documentation: "Headers by name, besides those of the connection"
      }),
      body: Schema.optionalKey(Schema.String).annotateKey({
        documentation: `The text to send, ${maxBodyBytes / 1024 ** 2} MiB at most`
      })
    }),
    reads: false,
    timeoutMs: settings.defaultTimeoutMs,
    plan: Effect.fnUntraced(function* ({ body, headers = {}, method = "GET", url }) {
      if (!settings.enabled) return yield* refuse("HTTP requests are turned off (http.enabled in the configuration)")
      const request = settle(url, method, headers, body)
      if (typeof request === "string") return yield* refuse(request)
      if (isRefusedByName(request.url, settings.hostAllowlist)) {
        return yield* refuse(
          `${request.url.hostname} is not a public address; http.hostAllowlist in the configuration can allow it`
        )
      }
      return {
        need: {
          categories: ["http"],
          reason: `send a request to ${request.url.host}`,
          preview: previewOf(request),
          affectedResources: [request.url.href],
          subject: { kind: "host", host: request.url.host }
        },
        run: Effect.gen(function* () {
          const isGranted = (yield* CoveringGrant) !== undefined
          let current = request
          for (let hop = 0; hop <= maxRedirects; hop++) {
            const response = yield* send(current, settings.hostAllowlist, settings.maxResponseBytes, lookup)
            const next = redirected(current, response, isGranted)
            if (next === undefined || typeof next === "string") return report(current, response, hop > 0, next)
            current = next
          }
          return yield* refuse(`more than ${maxRedirects} redirects, the last one to ${current.url.href}`)
        })
      }
    })
  })

/** The request of a call; a text that says what is wrong with the arguments. */
const settle = (
  given: string,
  method: string,
  headers: { readonly [name: string]: string },
  text: string | undefined
): PinnedRequest | string => {
  const url = URL.parse(given)
  if (url === null) return `${JSON.stringify(cutText(given, 200))} is no absolute URL`
  if (!/^https?:$/.test(url.protocol)) return `only http and https are spoken, not ${url.protocol}`
  if (url.username !== "" || url.password !== "") return "credentials in a URL are not sent; use a header"
  url.hash = ""
  if (!methods.includes(method.toUpperCase())) return `method: expected one of ${methods.join(", ")}`
  const body = text === undefined ? undefined : Buffer.from(text, "utf8")
  if (body !== undefined && body.length > maxBodyBytes) return `the body is larger than ${maxBodyBytes} bytes`
  const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule("node:http")
  const all: { [name: string]: string } = { ...defaultHeaders }
  if (text !== undefined) all["content-type"] = isJson(text) ? "application/json" : "text/plain; charset=utf-8"
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.test(name)) return `the header ${name} cannot be set`
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      return `the header ${JSON.stringify(cutText(name, 100))} is not a valid one`
    }
    all[name.toLowerCase()] = value
  }
  if (body !== undefined) all["content-length"] = `${body.length}`
  return { url, method: method.toUpperCase(), headers: all, body }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const previewOf = ({ body, headers, method, url }: PinnedRequest): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${url.href}`, ...lines, ...(body === undefined ? [] : ["", body.toString("utf8")])].join("\n")
}

/**
 * The request that a redirect asks for; a text that says why it is not sent. At the same origin (scheme, host and port) it is
 * what a browser would send. Another origin gets nothing that was shown for the first one: no body, no method that does more than
 * fetch, no header of the model but the carried ones; and nothing at all where a grant stands for the question (`isGranted`).
 */
const redirected = (
  { body, headers, method, url: from }: PinnedRequest,
  { headers: { location }, status }: PinnedResponse,
  isGranted: boolean
): PinnedRequest | string | undefined => {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  const url = URL.parse(location, from)
  if (url === null || !/^https?:$/.test(url.protocol)) return "only http and https are spoken"
  if (url.username !== "" || url.password !== "") return "credentials in a URL are not sent"
  const kept = (keeps: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => keeps(name)))
  const onlyFetches = /^(GET|HEAD)$/.test(method)
  if (url.origin !== from.origin) {
    if (isGranted)
      return `${url.href} is another origin, and only ${from.host} is granted; make the request anew with that address`
    if (onlyFetches && body === undefined) {
      return { url, method, headers: { ...defaultHeaders, ...kept((name) => carriedHeaders.has(name)) }, body }
    }
    const sent = body === undefined ? method : `${method} with a body`
    return `${url.href} is another origin; to send a ${sent} there, make the request anew with that address`
  }
  const becomesGet = status === 303 ? !onlyFetches : status < 303 && method === "POST"
  if (!becomesGet) return { url, method, headers, body }
  return { url, method: "GET", headers: kept((name) => !name.startsWith("content-")), body: undefined }
}

const shownHeaders = ["content-type", "content-length", "location", "retry-after", "www-authenticate", "last-modified"]

const report = (
  { url }: PinnedRequest,
  response: PinnedResponse,
  isRedirected: boolean,
  whyNotFollowed: string | undefined
): Tool.ToolOutput => {
  const { body, headers, isCut, status, statusText } = response
  const lines = [`HTTP ${status} ${statusText}`.trimEnd()]
  if (isRedirected) lines.push(`(redirected to ${url.href})`)
  if (whyNotFollowed !== undefined) lines.push(`(not followed: ${whyNotFollowed})`)
  for (const name of shownHeaders) if (headers[name] !== undefined) lines.push(`${name}: ${headers[name]}`)
  const encoding = headers["content-encoding"]
  const kind = encoding === undefined ? binaryKind(body.subarray(0, sniffBytes)) : `${encoding} data`
  const text = kind === undefined ? decode(body, headers["content-type"], isCut) : `(${kind}, ${body.length} bytes)`
  if (text !== "") lines.push("", text)
  if (isCut) lines.push(`… (cut after ${body.length} bytes) …`)
  return { text: lines.join("\n"), truncated: isCut, isError: status >= 400 || whyNotFollowed !== undefined }
}

const decode = (body: Buffer, contentType: string | undefined, isCut: boolean): string => {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? "")?.[1] ?? "utf-8"
  try {
    return new TextDecoder(charset).decode(body, { stream: isCut })
  } catch {
    return new TextDecoder().decode(body, { stream: isCut })
  }
}
