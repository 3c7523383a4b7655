import type { EventFrame, EventType, SidecarEvent } from "../protocol/Event.ts"
import type { SendMessageResult } from "../protocol/Request.ts"
import type { StepCategory } from "../protocol/SessionState.ts"
import { type Breach, type KnownIds, StepChecker } from "./StepChecker.ts"

/** What a session has counted so far; unknown where the run did not see its beginning. */
export interface SessionCounts {
  readonly id: string
  turns: number | undefined
  steps: number | undefined
}

/** The tail of a turn: what has been told of its end. */
type Tail = "none" | "error" | "completed" | "failed" | "finished"

/** Follows one turn from its `user_message` to its response and tells each breach of its order (contract 4, 6). */
export class TurnChecker {
  readonly id: string
  readonly #breach: Breach
  readonly #session: SessionCounts
  readonly #known: KnownIds
  #started = false
  #index = 0
  #steps = 0
  #step: StepChecker | undefined
  #lastStep: StepChecker | undefined
  /** How the last step ended. */
  #last: "none" | "closed" | "acted" | "cut" = "none"
  #tail: Tail = "none"
  #error: { readonly message: string; readonly category: StepCategory | undefined } | undefined
  #completed: string | undefined
  #finished: EventFrame<"turn_finished"> | undefined

  constructor(breach: Breach, id: string, session: SessionCounts, known: KnownIds) {
    this.#breach = breach
    this.id = id
    this.#session = session
    this.#known = known
  }

  get isFinished(): boolean {
    return this.#finished !== undefined
  }

  check(at: number, frame: SidecarEvent): void {
    // Figures may stand anywhere in a turn: the order of contract 4 does not name them.
    if (frame.type === "metric") return
    const breach = (rule: string) => this.#breach(at, rule)
    if (frame.type !== "turn_started" && !this.#started) breach(`${frame.type} before turn_started`)
    this.#afterEnd(at, frame.type)
    switch (frame.type) {
      case "turn_started":
        if (this.#started) breach("turn_started twice")
        return this.#starts(at, frame.payload.turnIndex)
      case "step_started":
        return this.#stepStarts(at, frame.payload.stepIndex)
      case "step_finished":
        if (this.#step === undefined) return breach("step_finished without a step")
        if (frame.payload.stepIndex !== this.#steps - 1) breach(`step ${frame.payload.stepIndex} did not start last`)
        this.#last = this.#step.end(at)
        this.#step = undefined
        return
      case "error": {
        const category = /^step_error:(transport|grammar|model|tool)$/.exec(frame.payload.code ?? "")?.[1]
        if (category === undefined) breach(`an error ${frame.payload.code} inside a turn`)
        if (this.#step?.hasClosed === true || this.#last === "closed") breach("a step_error after the closing reply")
        this.#step?.end(at)
        this.#step = undefined
        this.#tail = "error"
        this.#error = { message: frame.payload.message, category: category as StepCategory | undefined }
        return
      }
      case "session_completed":
        this.#outside(at, frame.type)
        this.#completed = frame.payload.reason
        this.#tail = "completed"
        return
      case "session_failed":
        this.#outside(at, frame.type)
        if (this.#error === undefined) breach("session_failed without a step_error")
        else if (this.#error.message !== frame.payload.error || this.#error.category !== frame.payload.category) {
          breach("session_failed and its step_error differ")
        }
        this.#tail = "failed"
        return
      case "turn_finished":
        return this.#finishes(at, frame)
      case "steer_undelivered":
        if (this.#tail !== "finished") breach("steer_undelivered before turn_finished")
        return
      default:
        if (this.#step === undefined) return breach(`${frame.type} outside a step`)
        this.#step.check(at, frame)
    }
  }

  /** The response of this turn. */
  respond(at: number, result: SendMessageResult): void {
    const breach = (rule: string) => this.#breach(at, rule)
    if (this.#finished === undefined) return breach(`the response of turn ${this.id} before its turn_finished`)
    const { reason } = this.#finished.payload
    if (reason !== result.reason) breach(`turn_finished says ${reason}, the response ${result.reason}`)
    if (result.turnCount !== this.#index + 1) breach(`turnCount ${result.turnCount} after turn ${this.#index}`)
    this.#session.steps ??= result.stepCount
    if (result.stepCount !== this.#session.steps) {
      breach(`stepCount ${result.stepCount}, and the session had ${this.#session.steps} steps`)
    }
  }

  /** What may follow once the end of the turn is being told. */
  #afterEnd(at: number, type: EventType): void {
    const mayFollow: { readonly [T in Tail]: ReadonlyArray<EventType> | undefined } = {
      none: undefined,
      error: ["session_failed"],
      completed: ["turn_finished"],
      failed: ["turn_finished"],
      finished: ["steer_undelivered"]
    }
    const allowed = mayFollow[this.#tail]
    if (allowed === undefined || allowed.includes(type)) return
    const after = { none: "", error: "a step_error", completed: "session_completed", failed: "session_failed" }
    this.#breach(at, `${type} after ${this.#tail === "finished" ? "turn_finished" : after[this.#tail]}`)
  }

  #starts(at: number, index: number): void {
    this.#started = true
    this.#index = index
    this.#session.turns ??= index
    if (index !== this.#session.turns) this.#breach(at, `turn ${index} after ${this.#session.turns} turns`)
    this.#session.turns = index + 1
  }

  #stepStarts(at: number, index: number): void {
    const breach = (rule: string) => this.#breach(at, rule)
    if (this.#step !== undefined) breach("a step started before the one before had finished")
    else if (this.#last === "closed") breach("a step after the closing reply")
    else if (this.#last === "cut") breach("a step after one that was cut off")
    if (index !== this.#steps) breach(`step ${index} after ${this.#steps} steps`)
    this.#steps++
    if (this.#session.steps !== undefined) this.#session.steps++
    this.#step = new StepChecker(this.#breach, index, this.#known)
    this.#lastStep = this.#step
  }

  #finishes(at: number, frame: EventFrame<"turn_finished">): void {
    const breach = (rule: string) => this.#breach(at, rule)
    this.#outside(at, "turn_finished")
    const { reason, stepCount, turnIndex } = frame.payload
    if (stepCount !== this.#steps) breach(`turn_finished says ${stepCount} steps, there were ${this.#steps}`)
    if (turnIndex !== this.#index) breach(`turn_finished says turn ${turnIndex}, it was turn ${this.#index}`)
    const wanted = reason === "failed" ? "failed" : reason === "finish" || reason === "max_steps" ? "completed" : "none"
    if (this.#tail !== wanted) breach(`turn_finished ${reason}, and before it: ${this.#tail}`)
    if (this.#completed !== undefined && this.#completed !== reason) {
      breach(`session_completed says ${this.#completed}, turn_finished ${reason}`)
    }
    if (reason !== "failed" && reason !== "cancelled" && this.#last !== "closed") {
      breach(`turn_finished ${reason} without a closing reply`)
    }
    if (reason === "reply" && this.#lastStep?.hasCalls === true) breach("turn_finished reply after a step with calls")
    if (reason === "finish" && this.#lastStep?.hasFinished !== true) breach("turn_finished finish, and no finish held")
    if (reason === "cancelled" && this.#last === "closed") breach("turn_finished cancelled after the closing reply")
    this.#tail = "finished"
    this.#finished = frame
  }

  #outside(at: number, type: EventType): void {
    if (this.#step === undefined) return
    this.#breach(at, `${type} inside a step`)
    this.#step = undefined
  }
}
