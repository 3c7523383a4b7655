import { cutText } from "../domain/CutText.ts"
import type { ResponseHead } from "../http/HttpExchange.ts"
import type { LlamaError } from "./LlamaError.ts"
import { Loading, Malformed } from "./LlamaError.ts"
import { parseJson } from "./ParseJson.ts"
import { parseComplaint, toReason } from "./ServerError.ts"

/** Why an attempt of a request failed, and whether the request may be sent again. */
export interface Refusal {
  readonly reason: LlamaError["reason"]
  readonly retry: "never" | "soon" | "when loaded"
  /** The pause that the server asked for with `Retry-After`, in milliseconds. */
  readonly afterMs?: number
}

/**
 * Classifies a response with an error status (contract 6): 429, 502, 504 and the 503 of a loading server may be
 * retried, all others are final. `now` is in epoch milliseconds.
 */
export const toRefusal = (head: ResponseHead, body: string, now: number): Refusal => {
  const { status } = head
  const error = parseComplaint(parseJson(body) ?? null)
  if (status === 503 && isLoading(body)) {
    return { reason: Loading.make({ detail: error?.message ?? "the model is loading" }), retry: "when loaded" }
  }
  const reason = toReason(error ?? { message: excerpt(head, body) }, status)
  if (status !== 429 && status !== 502 && status !== 504) return { reason, retry: "never" }
  const afterMs = retryAfter(head.headers["retry-after"], now)
  return { reason, retry: "soon", ...(afterMs === undefined ? {} : { afterMs }) }
}

/** The kind of a body with status 200, from its first characters: server-sent events, one JSON value, or a web page. */
export const kindOf = (head: ResponseHead, start: string): "events" | "json" | "page" | "unknown" => {
  const first = start.replace(/^\uFEFF/, "").trimStart()[0]
  if (first === "<" || head.headers["content-type"]?.includes("text/html") === true) return "page"
  if (first === undefined) return "unknown"
  return first === "{" || first === "[" ? "json" : "events"
}

export const webPage = (head: ResponseHead, body: string): Malformed =>
  Malformed.make({
    detail: `the server answered with a web page instead of a model's answer: ${excerpt(head, body)}`
  })

/** True if the body of a 503 says that the model is loading; servers word it differently. */
export const isLoading = (body: string): boolean => /loading|starting|warming up/i.test(body)

/** A summary of a body that is not JSON: the status line, then the page's title or up to 300 characters of its text. */
export const excerpt = (head: ResponseHead, body: string): string => {
  const title = /<title>([^<]*)<\/title>/i.exec(body)?.[1]
  const text = (title ?? body.replaceAll(/<[^>]*>/g, " ")).replaceAll(/\s+/g, " ").trim()
  const { location } = head.headers
  const status = `HTTP ${head.status} ${head.statusText}`.trim() + (location === undefined ? "" : `, to ${location}`)
  return text === "" ? status : `${status}: ${text.length > 300 ? `${cutText(text, 300)}…` : text}`
}

/** `Retry-After` in milliseconds from `now`: the header is a number of seconds or a date. */
const retryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
