import type { EventFrame, SidecarEvent } from "../protocol/Event.ts"
import { eventExtensions } from "../protocol/EventTypes.ts"
import type { SidecarFrame, SidecarResponse } from "../protocol/Frame.ts"
import type { HelloResult, SendMessageResult } from "../protocol/Request.ts"
import { ResponseChecker, type SentRequest } from "./ResponseChecker.ts"
import type { KnownIds } from "./StepChecker.ts"
import { type SessionCounts, TurnChecker } from "./TurnChecker.ts"

export type { SentRequest } from "./ResponseChecker.ts"

/** One breach of the contract; `at` is the index of the frame that shows it, or the number of frames at the end. */
export interface Violation {
  readonly at: number
  readonly rule: string
}

export interface CheckOptions {
  /** All that the host sent, in order; without it, no more is known of the requests than their responses tell. */
  readonly requests?: ReadonlyArray<SentRequest>
  /** The run is over: whatever is still open is a breach. */
  readonly ended?: boolean
}

/**
 * Checks what a sidecar wrote, from its first frame on, against contract 3 and 4: one response per request, turns that do
 * not overlap and are answered in the order they were sent, every event in its place, pairs complete, nothing of a turn
 * after its response, each accepted steer with one fate. An empty list: no breach.
 */
export const check = (frames: ReadonlyArray<SidecarFrame>, options: CheckOptions = {}): ReadonlyArray<Violation> => {
  const checker = new Checker(frames, options.requests)
  frames.forEach((frame, at) => checker.check(at, frame))
  if (options.ended === true) checker.end()
  return checker.violations
}

class Checker {
  readonly violations: Array<Violation> = []
  readonly #frames: ReadonlyArray<SidecarFrame>
  readonly #answers: ResponseChecker
  readonly #frameIds = new Set<string>()
  readonly #sessions = new Map<string, SessionCounts>()
  readonly #known: KnownIds = { callIds: new Set(), approvalIds: new Set(), granted: new Set() }
  readonly #queuedIds = new Set<string>()
  readonly #over = new Set<string>()
  #session: SessionCounts | undefined
  /** A session has started, and the request that started it is not answered yet. */
  #starting = false
  #turn: TurnChecker | undefined
  #steers = { accepted: 0, applied: 0, undelivered: 0 }
  #isShutDown = false

  constructor(frames: ReadonlyArray<SidecarFrame>, requests: ReadonlyArray<SentRequest> | undefined) {
    this.#frames = frames
    this.#answers = new ResponseChecker(requests, this.#breach)
  }

  readonly #breach = (at: number, rule: string): void => void this.violations.push({ at, rule })

  check(at: number, frame: SidecarFrame): void {
    if (this.#frameIds.has(frame.id)) this.#breach(at, `frame id ${frame.id} twice`)
    this.#frameIds.add(frame.id)
    if (frame.kind === "response") this.#response(at, frame)
    else this.#event(at, frame)
  }

  end(): void {
    const at = this.#frames.length
    if (this.#turn !== undefined) this.#breach(at, `turn ${this.#turn.id} has no response`)
    if (this.#starting) this.#breach(at, "a session started, and its request was not answered")
    const { accepted, applied, undelivered } = this.#steers
    if (accepted !== applied + undelivered) {
      this.#breach(at, `${accepted} steers were accepted, ${applied} applied, ${undelivered} undelivered`)
    }
    this.#answers.end(at)
  }

  #event(at: number, frame: SidecarEvent): void {
    if (!Object.hasOwn(eventExtensions, frame.type)) return this.#breach(at, `there is no event ${String(frame.type)}`)
    const extension = eventExtensions[frame.type]
    if (extension !== undefined && !this.#known.granted.has(extension)) {
      this.#breach(at, `${frame.type}, and ${extension} was not granted`)
    }
    if (frame.type === "error" && frame.payload.code === "handler_failed") this.#handlerFailed(at, frame)
    if (frame.type === "session_started") return this.#sessionStarts(at, frame)
    if (frame.type === "turn_queued") return this.#queued(at, frame)
    const turnId = "turnId" in frame.payload ? frame.payload.turnId : undefined
    if (turnId !== undefined) this.#ofTurn(at, frame, turnId)
  }

  #ofTurn(at: number, frame: SidecarEvent, turnId: string): void {
    const sessionId = "sessionId" in frame.payload ? frame.payload.sessionId : undefined
    if (this.#isShutDown) this.#breach(at, `${frame.type} after the response to shutdown`)
    if (frame.type === "user_message") this.#turnStarts(at, frame, turnId)
    if (frame.type === "steer_applied") this.#steers.applied++
    if (frame.type === "steer_undelivered") this.#steers.undelivered++
    if (sessionId !== this.#session?.id) this.#breach(at, `${frame.type} of session ${sessionId}, which is not active`)
    if (frame.type === "user_message") return
    if (this.#turn?.id === turnId) return this.#turn.check(at, frame)
    const why = this.#over.has(turnId) ? "after its response" : "without a user_message"
    this.#breach(at, `${frame.type} of turn ${turnId} ${why}`)
  }

  #turnStarts(at: number, { payload }: EventFrame<"user_message">, turnId: string): void {
    if (this.#turn !== undefined) this.#breach(at, `a turn began before the response of turn ${this.#turn.id}`)
    if (this.#turn?.id === turnId || this.#over.has(turnId)) this.#breach(at, `turn ${turnId} began twice`)
    if (this.#starting) this.#breach(at, "a turn began before the response to the start of its session")
    // A run that was not heard from its beginning.
    this.#session ??= this.#counts(payload.sessionId)
    this.#turn = new TurnChecker(this.#breach, turnId, this.#session, this.#known)
  }

  #queued(at: number, { payload }: EventFrame<"turn_queued">): void {
    if (this.#turn?.id === payload.turnId || this.#over.has(payload.turnId)) {
      this.#breach(at, "turn_queued after the user_message of its turn")
    }
    if (this.#session?.id !== payload.sessionId) {
      this.#breach(at, `turn_queued of session ${payload.sessionId}, which is not active`)
    }
    if (this.#queuedIds.has(payload.turnId)) this.#breach(at, `turn ${payload.turnId} was queued twice`)
    this.#queuedIds.add(payload.turnId)
  }

  #sessionStarts(at: number, { payload }: EventFrame<"session_started">): void {
    if (this.#turn !== undefined) this.#breach(at, "a session started before the turn of the old one was answered")
    if (this.#starting) this.#breach(at, "a session started before the one before was answered")
    if (this.#isShutDown) this.#breach(at, "a session started after the response to shutdown")
    this.#starting = true
    this.#session = this.#counts(payload.sessionId)
  }

  #counts(id: string): SessionCounts {
    const known = this.#sessions.get(id) ?? { id, turns: undefined, steps: undefined }
    this.#sessions.set(id, known)
    return known
  }

  #handlerFailed(at: number, { payload }: EventFrame<"error">): void {
    const next = this.#frames[at + 1]
    if (next === undefined || (next.kind === "response" && !next.ok && next.error.message === payload.message)) return
    this.#breach(at, "an error handler_failed without its response behind it")
  }

  #response(at: number, frame: SidecarResponse): void {
    const { isEarly, request } = this.#answers.answer(at, frame)
    if (!frame.ok) return this.#failure(at, frame)
    if (this.#isShutDown) this.#breach(at, "a request was served after the response to shutdown")
    if ("error" in frame) this.#breach(at, "a response that is ok has an error")
    const { payload } = frame
    const is = (type: string, shape: boolean) =>
      request === undefined || request.type === "raw" ? shape : request.type === type
    if (is("send_message", has(payload, "reason", "turnCount", "stepCount"))) {
      this.#turnResponse(at, payload as SendMessageResult, isEarly)
    }
    if (is("steer_message", has(payload, "steered")) && has(payload, "steered") && payload["steered"] === true) {
      this.#steers.accepted++
    }
    if (is("start_session", has(payload, "sessionId") && !has(payload, "workingDir"))) this.#started(at, payload, true)
    if (is("resume_session", has(payload, "sessionId", "workingDir") && !has(payload, "turns"))) {
      this.#started(at, payload, false)
    }
    if (is("hello", has(payload, "extensions", "limits"))) {
      this.#known.granted = new Set((payload as HelloResult).extensions)
    }
    if (request?.type !== "shutdown") return
    if (this.#turn !== undefined) this.#breach(at, "shutdown was answered before the running turn")
    this.#isShutDown = true
  }

  #failure(at: number, frame: SidecarResponse & { readonly ok: false }): void {
    if (Object.keys(frame.payload).length > 0) this.#breach(at, "a failed response with a payload")
    if (frame.error.code === "unknown_request") return
    if (frame.error.code !== "handler_failed") return this.#breach(at, `a response failed with ${frame.error.code}`)
    const before = this.#frames[at - 1]
    const hasErrorEvent =
      before?.kind === "event" &&
      before.type === "error" &&
      before.payload.code === "handler_failed" &&
      before.payload.message === frame.error.message
    if (!hasErrorEvent) this.#breach(at, "a handler_failed response without its error event before it")
  }

  #started(at: number, payload: unknown, isNew: boolean): void {
    const id = has(payload, "sessionId") ? payload["sessionId"] : undefined
    if (!this.#starting || id !== this.#session?.id) {
      return this.#breach(at, `session ${String(id)} without its session_started before it`)
    }
    this.#starting = false
    if (!isNew || this.#session === undefined) return
    if (this.#session.turns !== undefined) this.#breach(at, `session ${this.#session.id} is not a new one`)
    this.#session.turns = 0
    this.#session.steps = 0
  }

  /** A queued turn that was cancelled is answered too, and may be while another one plays. */
  #turnResponse(at: number, result: SendMessageResult, isEarly: boolean): void {
    const turn = this.#turn
    if (turn !== undefined && (result.reason !== "cancelled" || (turn.isFinished && !isEarly))) {
      if (isEarly) this.#breach(at, `a message was answered ${result.reason} before an older one`)
      turn.respond(at, result)
      this.#over.add(turn.id)
      this.#turn = undefined
      return
    }
    if (result.reason !== "cancelled") return this.#breach(at, `a turn ended ${result.reason} without a user_message`)
    // What it counts may be ahead of what has been read, never behind.
    const { steps, turns } = this.#session ?? {}
    if (turns !== undefined && result.turnCount < turns) {
      this.#breach(at, `turnCount ${result.turnCount} of a turn that never started, after ${turns} turns`)
    }
    if (steps !== undefined && result.stepCount < steps) {
      this.#breach(at, `stepCount ${result.stepCount} of a turn that never started, after ${steps} steps`)
    }
  }
}

const has = <K extends string>(
  payload: unknown,
  ...keys: ReadonlyArray<K>
): payload is { readonly [P in K]: unknown } =>
  typeof payload === "object" && payload !== null && keys.every((key) => key in payload)
