import type { EventFrame, SidecarEvent } from "../protocol/Event.ts"
import { eventExtensions } from "../protocol/EventTypes.ts"
import type { SidecarFrame, SidecarResponse } from "../protocol/Frame.ts"
import type { HelloResult, SendMessageResult } from "../protocol/Request.ts"
import { ResponseChecker, type SentRequest } from "./ResponseChecker.ts"
import type { KnownIds } from "./StepChecker.ts"
import { SessionChecker } from "./SessionChecker.ts"

export type { SentRequest } from "./ResponseChecker.ts"

/** A breach of the contract; `at` is the index of the frame that shows it, or the number of frames at the end. */
export interface Violation {
  readonly at: number
  readonly rule: string
}

export interface CheckOptions {
  /** All requests of the host, in order of sending. Without them only what the responses show is checked. */
  readonly requests?: ReadonlyArray<SentRequest>
  /** True: the run is over, and everything that is still open is a breach. */
  readonly ended?: boolean
}

/**
 * Checks the frames of a sidecar (contract 3, 4): one response per request, turns that do not overlap and are answered
 * in the order of their requests, in each session, every event in its place, complete pairs, nothing of a turn after its response, and
 * each accepted steer either applied or undelivered. Returns the breaches.
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
  readonly #responses: ResponseChecker
  readonly #frameIds = new Set<string>()
  readonly #sessions = new Map<string, SessionChecker>()
  /** Ids of the sessions that take messages. */
  readonly #open = new Set<string>()
  readonly #known: KnownIds = { callIds: new Set(), approvalIds: new Set(), granted: new Set() }
  #isShutDown = false

  constructor(frames: ReadonlyArray<SidecarFrame>, requests: ReadonlyArray<SentRequest> | undefined) {
    this.#frames = frames
    this.#responses = new ResponseChecker(requests, this.#breach)
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
    for (const session of this.#sessions.values()) session.end(at)
    this.#responses.end(at)
  }

  #event(at: number, frame: SidecarEvent): void {
    if (!Object.hasOwn(eventExtensions, frame.type)) return this.#breach(at, `there is no event ${String(frame.type)}`)
    const extension = eventExtensions[frame.type]
    if (extension !== undefined && !this.#known.granted.has(extension)) {
      this.#breach(at, `${frame.type}, and ${extension} was not granted`)
    }
    if (frame.type === "error" && frame.payload.code === "handler_failed") this.#handlerFailed(at, frame)
    if (frame.type === "session_started") return this.#sessionStarted(at, frame)
    const turnId = "turnId" in frame.payload ? frame.payload.turnId : undefined
    if (turnId === undefined) return
    const sessionId = "sessionId" in frame.payload ? frame.payload.sessionId : undefined
    if (this.#isShutDown) this.#breach(at, `${frame.type} after the response to shutdown`)
    // The frames do not start with the run's first one.
    if (this.#sessions.size === 0 && sessionId !== undefined) this.#open.add(sessionId)
    if (sessionId === undefined || !this.#open.has(sessionId)) {
      this.#breach(at, `${frame.type} of session ${sessionId}, which is not active`)
    }
    const session = this.#session(sessionId ?? "")
    if (frame.type === "turn_queued") session.queued(at, frame)
    else session.ofTurn(at, frame, turnId)
  }

  #sessionStarted(at: number, { payload }: EventFrame<"session_started">): void {
    const isParallel = this.#known.granted.has("parallel_sessions")
    for (const id of isParallel ? [payload.sessionId] : this.#open) {
      const session = this.#session(id)
      if (session.turnId !== undefined)
        this.#breach(at, "a session started before the turn of the old one was answered")
      if (session.isStarting) this.#breach(at, "a session started before the one before was answered")
    }
    if (this.#isShutDown) this.#breach(at, "a session started after the response to shutdown")
    if (!isParallel) this.#open.clear()
    this.#open.add(payload.sessionId)
    this.#session(payload.sessionId).isStarting = true
  }

  #session(id: string): SessionChecker {
    const known = this.#sessions.get(id) ?? new SessionChecker(this.#breach, id, this.#known)
    this.#sessions.set(id, known)
    return known
  }

  #handlerFailed(at: number, { payload }: EventFrame<"error">): void {
    const next = this.#frames[at + 1]
    if (next === undefined || (next.kind === "response" && !next.ok && next.error.message === payload.message)) return
    this.#breach(at, "an error handler_failed without its response behind it")
  }

  #response(at: number, frame: SidecarResponse): void {
    const { isEarly, request } = this.#responses.answer(at, frame)
    if (!frame.ok) return this.#failure(at, frame)
    if (this.#isShutDown) this.#breach(at, "a request was served after the response to shutdown")
    if ("error" in frame) this.#breach(at, "a response that is ok has an error")
    const { payload } = frame
    const is = (type: string, shape: boolean) =>
      request === undefined || request.type === "raw" ? shape : request.type === type
    if (is("send_message", has(payload, "reason", "turnCount", "stepCount"))) {
      const result = payload as SendMessageResult
      this.#sessionOf(request, (session) => session.awaits(result)).respond(at, result, isEarly)
    }
    if (is("steer_message", has(payload, "steered")) && has(payload, "steered") && payload["steered"] === true) {
      this.#sessionOf(request, (session) => session.turnId !== undefined).acceptedSteers++
    }
    if (is("start_session", has(payload, "sessionId") && !has(payload, "workingDir") && !this.#isFork(payload)))
      this.#sessionResponse(at, payload, true)
    if (
      request?.type === "fork_session" &&
      has(payload, "sessionId") &&
      this.#sessions.has(String(payload.sessionId))
    ) {
      this.#breach(at, `the fork ${String(payload.sessionId)} is not a new session`)
    }
    if (is("resume_session", has(payload, "sessionId", "workingDir") && !has(payload, "turns"))) {
      this.#sessionResponse(at, payload, false)
    }
    if (is("close_session", has(payload, "closed")) && has(payload, "closed") && payload["closed"] === true) {
      this.#closed(at, request?.sessionId)
    }
    if (is("hello", has(payload, "extensions", "limits"))) {
      this.#known.granted = new Set((payload as HelloResult).extensions)
    }
    if (request?.type !== "shutdown") return
    const running = [...this.#sessions.values()].some(({ turnId }) => turnId !== undefined)
    if (running) this.#breach(at, "shutdown was answered before the running turn")
    this.#isShutDown = true
  }

  /** The session that a request was about: the one it named or, where that is not known, the last one that fits. */
  #sessionOf(request: SentRequest | undefined, fits: (session: SessionChecker) => boolean): SessionChecker {
    if (request?.sessionId !== undefined) return this.#session(request.sessionId)
    const open = [...this.#open].map((id) => this.#session(id))
    return open.findLast(fits) ?? open.at(-1) ?? this.#session("")
  }

  /** True if this may be the response to a `fork_session`, which looks like one to a `start_session`. */
  #isFork({ sessionId }: { readonly sessionId: unknown }): boolean {
    return this.#known.granted.has("sessions") && this.#sessions.get(String(sessionId))?.isStarting !== true
  }

  #closed(at: number, id: string | undefined): void {
    if (id === undefined) return
    if (this.#session(id).turnId !== undefined) this.#breach(at, "close_session was answered before the running turn")
    this.#open.delete(id)
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

  #sessionResponse(at: number, payload: unknown, isNew: boolean): void {
    const id = has(payload, "sessionId") ? String(payload["sessionId"]) : ""
    const session = this.#session(id)
    if (!session.isStarting) return this.#breach(at, `session ${id} without its session_started before it`)
    session.answered(at, isNew)
  }
}

const has = <K extends string>(
  payload: unknown,
  ...keys: ReadonlyArray<K>
): payload is { readonly [P in K]: unknown } =>
  typeof payload === "object" && payload !== null && keys.every((key) => key in payload)
