import type { EventFrame, EventType } from "../../../src/protocol/Event.ts"
import type { SidecarFrame, SidecarResponse } from "../../../src/protocol/Frame.ts"
import type { SentRequest } from "../../../src/testing/ContractChecker.ts"

/** A request with all that its host knew. */
export interface PostedRequest extends SentRequest {
  readonly payload: { readonly [key: string]: unknown }
  /** How many frames had been read when it was written. */
  readonly at: number
  /** It was written after a `shutdown`. */
  readonly isLate: boolean
  /** It may have been written when nobody read any more, and the host could not know: it needs no response. */
  readonly isLost: boolean
}

/** All that a host wrote and read, from the start of a sidecar to its end. */
export interface Run {
  readonly posted: ReadonlyArray<PostedRequest>
  readonly frames: ReadonlyArray<SidecarFrame>
  /** Lines that were no request: each must have got an `error` event. */
  readonly badLines: number
  /** Something may have kept a cancel waiting for two seconds, after which it is answered before its work is done. */
  readonly cancelsMayTimeOut: boolean
  /** Sessions need not be kept from then on. */
  readonly hasStoreFailed: boolean
}

/** A request with its response, and that one's index among the frames. */
export interface Exchange extends PostedRequest {
  readonly response: SidecarResponse
  readonly answeredAt: number
}

/** The text of the message that a host sends when all else is settled: it must get its reply. */
export const lastMessage = "the last one"

/** The requests that were answered, in the order they were sent. */
export const exchangesOf = ({ frames, posted }: Pick<Run, "frames" | "posted">): ReadonlyArray<Exchange> => {
  const byId = new Map<string, readonly [SidecarResponse, number]>()
  for (const [at, frame] of frames.entries()) {
    if (frame.kind === "response" && !byId.has(frame.correlationId)) byId.set(frame.correlationId, [frame, at])
  }
  return posted.flatMap((request) => {
    const [response, answeredAt] = byId.get(request.id) ?? []
    return response === undefined || answeredAt === undefined ? [] : [{ ...request, response, answeredAt }]
  })
}

/** The payloads of all events of a type. */
export const eventsOf = <T extends EventType>(
  frames: ReadonlyArray<SidecarFrame>,
  type: T
): ReadonlyArray<EventFrame<T>["payload"]> =>
  frames.flatMap((frame) => (frame.kind === "event" && frame.type === type ? [(frame as EventFrame<T>).payload] : []))

/** The payload of a response; without any keys, if it failed. */
export const resultOf = ({ response }: Exchange): { readonly [key: string]: unknown } =>
  (response.ok ? (response.payload ?? {}) : {}) as { readonly [key: string]: unknown }

/** Why a request failed; empty, if it did not. */
export const failureOf = ({ response }: Exchange): string => (response.ok ? "" : response.error.message)
