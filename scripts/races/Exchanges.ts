import type { EventFrame, EventType } from "../../src/protocol/Event.ts"
import type { SidecarFrame, SidecarResponse } from "../../src/protocol/Frame.ts"
import type { Played, Posted } from "./Play.ts"

/** A request and its response, with the response's place among the frames. */
export interface Exchange extends Posted {
  readonly response: SidecarResponse
  readonly answeredAt: number
}

/** The requests that were answered, in the order they were sent. */
export const exchangesOf = ({ frames, posted }: Played): ReadonlyArray<Exchange> => {
  const byId = new Map<string, readonly [SidecarResponse, number]>()
  for (const [at, frame] of frames.entries()) {
    if (frame.kind === "response" && !byId.has(frame.correlationId)) byId.set(frame.correlationId, [frame, at])
  }
  return posted.flatMap((request) => {
    const [response, answeredAt] = byId.get(request.id) ?? []
    return response === undefined || answeredAt === undefined ? [] : [{ ...request, response, answeredAt }]
  })
}

export const eventsOf = <T extends EventType>(frames: ReadonlyArray<SidecarFrame>, type: T) =>
  frames.flatMap((frame, at) =>
    frame.kind === "event" && frame.type === type ? [{ at, payload: (frame as EventFrame<T>).payload }] : []
  )

export const resultOf = ({ response }: Exchange): { readonly [key: string]: unknown } =>
  (response.ok ? (response.payload ?? {}) : {}) as { readonly [key: string]: unknown }

export const messageOf = ({ response }: Exchange): string => (response.ok ? "" : response.error.message)
