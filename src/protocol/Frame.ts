import type { EmittedEvent, SidecarEvent } from "./Event.ts"
import { uuid } from "./Ids.ts"
import { wellFormedJson } from "./WellFormed.ts"

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

const separators = /[\u2028\u2029]/
const allSeparators = /[\u2028\u2029]/g
const escapeSeparator = (character: string) => (character === "\u2028" ? "\\u2028" : "\\u2029")

/** A value as JSON without half characters; U+2028 and U+2029 are escaped, since some readers split lines there. */
const toJson = (value: unknown): string => {
  const json = wellFormedJson(value)
  return separators.test(json) ? json.replace(allSeparators, escapeSeparator) : json
}

// The envelopes are put together by hand: they are written for every token, and their keys never change.

export const eventLine = ({ payload, type }: EmittedEvent): string =>
  `{"kind":"event","id":"${uuid()}","type":"${type}","payload":${toJson(payload)}}\n`

export const successLine = (correlationId: string, payload: unknown): string =>
  `{"kind":"response","id":"${uuid()}","correlationId":${toJson(correlationId)},"ok":true,"payload":${toJson(payload)}}\n`

export const failureLine = (correlationId: string, message: string, code: ResponseErrorCode): string =>
  `{"kind":"response","id":"${uuid()}","correlationId":${toJson(correlationId)},"ok":false,"payload":{},"error":${toJson({ message, code })}}\n`
