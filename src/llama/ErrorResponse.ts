import type { ResponseHead } from "../http/HttpExchange.ts"
import type { LlamaError } from "./LlamaError.ts"
import { Loading, Malformed } from "./LlamaError.ts"
import { complaint, toReason } from "./ServerError.ts"

/** A failed attempt of a request: the reason, and whether the request may be sent again. */
export interface Refusal {
  readonly reason: LlamaError["reason"]
  readonly again: "never" | "soon" | "when loaded"
  /** The server's own wish, in milliseconds. */
  readonly afterMs?: number
}

/** The meaning of a response with an error status (contract 6): 502, 504, 429 and a 503 of a loading server are tried again. */
export const refusal = (head: ResponseHead, body: string, now: number): Refusal => {
  const { status } = head
  const error = complaint(parse(body) ?? null)
  if (status === 503 && isLoading(body)) {
    return { reason: Loading.make({ detail: error?.words ?? "the model is loading" }), again: "when loaded" }
  }
  const reason = toReason(error ?? { words: wordsOf(head, body) }, status)
  if (status !== 429 && status !== 502 && status !== 504) return { reason, again: "never" }
  const afterMs = retryAfter(head.headers["retry-after"], now)
  return { reason, again: "soon", ...(afterMs === undefined ? {} : { afterMs }) }
}

/** What stands at the beginning of a body with status 200: events, one JSON value, or a page for people. */
export const kindOf = (head: ResponseHead, start: string): "events" | "json" | "page" | "unknown" => {
  const first = start.replace(/^\uFEFF/, "").trimStart()[0]
  if (first === "<" || head.headers["content-type"]?.includes("text/html") === true) return "page"
  if (first === undefined) return "unknown"
  return first === "{" || first === "[" ? "json" : "events"
}

export const page = (head: ResponseHead, body: string): Malformed =>
  Malformed.make({
    detail: `the server answered with a web page instead of a model's answer: ${wordsOf(head, body)}`
  })

/** Both shapes of two generations of llama-server, and what others say. */
export const isLoading = (body: string): boolean => /loading|starting|warming up/i.test(body)

/** The first words of a body that is no JSON: a page's title, else its text; without any, the status line. */
export const wordsOf = (head: ResponseHead, body: string): string => {
  const title = /<title>([^<]*)<\/title>/i.exec(body)?.[1]
  const text = (title ?? body.replaceAll(/<[^>]*>/g, " ")).replaceAll(/\s+/g, " ").trim()
  const { location } = head.headers
  const status = `HTTP ${head.status} ${head.statusText}`.trim() + (location === undefined ? "" : `, to ${location}`)
  return text === "" ? status : `${status}: ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`
}

export const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** `Retry-After` in milliseconds: seconds, or a date against `now` in epoch milliseconds. */
const retryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
