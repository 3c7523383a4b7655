import type { SidecarFrame, SidecarResponse } from "../protocol/Frame.ts"
import { TurnChecker } from "./TurnChecker.ts"

/** A request as the host sent it; `order` of the list is the order of sending. */
export interface SentRequest {
  readonly id: string
  readonly type: string
}

/** One breach of the contract; `at` is the index of the frame that shows it, or the number of frames at the end. */
export interface Violation {
  readonly at: number
  readonly rule: string
}

export interface CheckOptions {
  /** What the host sent; without it responses are only checked for doubles. */
  readonly requests?: ReadonlyArray<SentRequest>
  /** The run is over: whatever is still open is a breach. */
  readonly ended?: boolean
}

/**
 * Checks what a sidecar wrote against contract 3 and 4: one response per request, turns that do not overlap, every
 * event in its place, pairs complete, nothing of a turn after its response. An empty list: no breach.
 */
export const check = (frames: ReadonlyArray<SidecarFrame>, options: CheckOptions = {}): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  const turns = new TurnChecker((at, rule) => violations.push({ at, rule }))
  const ids = new Set<string>()
  const answered = new Map<string, number>()
  const asked = new Map<string, number>()
  for (const { id } of options.requests ?? []) asked.set(id, (asked.get(id) ?? 0) + 1)

  const hearResponse = (at: number, frame: SidecarResponse) => {
    const id = frame.correlationId
    const count = (answered.get(id) ?? 0) + 1
    answered.set(id, count)
    if (options.requests !== undefined && count > (asked.get(id) ?? 0)) {
      violations.push({ at, rule: `response ${count} to request ${id}, which was sent ${asked.get(id) ?? 0} times` })
    }
    if (!frame.ok && frame.error.code === "handler_failed") {
      const before = frames[at - 1]
      const told = before?.kind === "event" && before.type === "error" && before.payload.message === frame.error.message
      if (!told) violations.push({ at, rule: "a handler_failed response without its error event before it" })
    }
    if (frame.ok && isTurnResult(frame.payload)) turns.respond(at, frame.payload)
  }

  frames.forEach((frame, at) => {
    if (ids.has(frame.id)) violations.push({ at, rule: `frame id ${frame.id} twice` })
    ids.add(frame.id)
    if (frame.kind === "response") hearResponse(at, frame)
    else turns.hear(at, frame)
  })

  if (options.ended === true) {
    turns.end(frames.length)
    for (const [id, count] of asked) {
      const missing = count - (answered.get(id) ?? 0)
      if (missing > 0) violations.push({ at: frames.length, rule: `${missing} responses to request ${id} are missing` })
    }
  }
  return violations
}

const isTurnResult = (payload: unknown): payload is { reason: string; turnCount: number; stepCount: number } =>
  typeof payload === "object" && payload !== null && "reason" in payload && "turnCount" in payload
