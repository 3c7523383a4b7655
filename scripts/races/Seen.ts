import type { SidecarFrame } from "../../src/protocol/Frame.ts"

type Frames = ReadonlyArray<SidecarFrame>

/** The ids of the sessions that have started, in their order. */
export const sessionsIn = (frames: Frames): ReadonlyArray<string> =>
  frames.flatMap((frame) =>
    frame.kind === "event" && frame.type === "session_started" ? [frame.payload.sessionId] : []
  )

/** The turns that were accepted, in their order. */
export const queuedIn = (frames: Frames): ReadonlyArray<string> =>
  frames.flatMap((frame) => (frame.kind === "event" && frame.type === "turn_queued" ? [frame.payload.turnId] : []))

/** The questions that were asked, in their order. */
export const approvalsIn = (frames: Frames): ReadonlyArray<string> =>
  frames.flatMap((frame) =>
    frame.kind === "event" && frame.type === "approval_request" ? [frame.payload.approvalId] : []
  )

/** The ids of the requests that have a response. */
export const answeredIn = (frames: Frames): ReadonlyArray<string> =>
  frames.flatMap((frame) => (frame.kind === "response" ? [frame.correlationId] : []))
