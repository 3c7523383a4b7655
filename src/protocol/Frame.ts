import type { Event, SidecarEvent } from "./Event.ts"
import { uuid } from "./Ids.ts"

/** The codes of a failed response. */
export type ResponseErrorCode = "unknown_request" | "handler_failed"

/** The codes of an `error` event; a failed step has `step_error:<category>`. */
export type EventErrorCode =
  | "parse_error"
  | "invalid_frame"
  | "config_invalid"
  | "handler_failed"
  | `step_error:${string}`

/** The one answer to a request (contract 3). */
export type SidecarResponse =
  | {
      readonly kind: "response"
      readonly id: string
      readonly correlationId: string
      readonly ok: true
      readonly payload: unknown
    }
  | {
      readonly kind: "response"
      readonly id: string
      readonly correlationId: string
      readonly ok: false
      readonly payload: { readonly [key: string]: never }
      readonly error: { readonly message: string; readonly code: ResponseErrorCode }
    }

/** Any frame that the sidecar writes. */
export type SidecarFrame = SidecarEvent | SidecarResponse

const separators = /[\u2028\u2029]/g
const escapeSeparator = (character: string) => (character === "\u2028" ? "\\u2028" : "\\u2029")

/** One value as one line of JSON with its LF; U+2028 and U+2029 are escaped, since some readers split there. */
export const toLine = (value: unknown): string => {
  const json = JSON.stringify(value)
  return (json.search(separators) === -1 ? json : json.replace(separators, escapeSeparator)) + "\n"
}

export const eventLine = (event: Event): string =>
  toLine({ kind: "event", id: uuid(), type: event.type, payload: event.payload })

export const successLine = (correlationId: string, payload: unknown): string =>
  toLine({ kind: "response", id: uuid(), correlationId, ok: true, payload })

export const failureLine = (correlationId: string, message: string, code: ResponseErrorCode): string =>
  toLine({ kind: "response", id: uuid(), correlationId, ok: false, payload: {}, error: { message, code } })
