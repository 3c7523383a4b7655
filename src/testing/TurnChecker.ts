import type { EventFrame, EventType, SidecarEvent } from "../protocol/Event.ts"
import type { SendMessageResult } from "../protocol/Request.ts"
import type { StepCategory } from "../protocol/SessionState.ts"
import type { Breach } from "./Breach.ts"
import { type KnownIds, StepChecker, type StepEnd } from "./StepChecker.ts"

/** Turns and steps of a session so far; undefined until they are known, if the frames do not start with the session. */
export interface SessionCounts {
  readonly id: string
  turns: number | undefined
  steps: number | undefined
}

/** The last of the events that end a turn. */
type Tail = "none" | "error" | "completed" | "failed" | "finished"

/** Checks the order of one turn, from its `user_message` to its response (contract 4, 6). */
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
  #last: "none" | StepEnd = "none"
  #silentSteps = 0
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
    // Metrics may stand anywhere in a turn (contract 4).
    if (frame.type === "metric") return
    const breach = (rule: string) => this.#breach(at, rule)
    if (frame.type !== "turn_started" && !this.#started) breach(`${frame.type} before turn_started`)
    this.#afterEnd(at, frame.type)
    switch (frame.type) {
      case "turn_started":
        if (this.#started) breach("turn_started twice")
        return this.#turnStarted(at, frame.payload.turnIndex)
      case "step_started":
        return this.#stepStarted(at, frame.payload.stepIndex)
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
        return this.#turnFinished(at, frame)
      case "steer_undelivered":
        if (this.#tail !== "finished") breach("steer_undelivered before turn_finished")
        return
      default:
        if (this.#step === undefined) return breach(`${frame.type} outside a step`)
        this.#step.check(at, frame)
    }
  }

  /** Takes the response of this turn. */
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

  /** Checks that only the event that may follow the end of a turn does. */
  #afterEnd(at: number, type: EventType): void {
    if (this.#tail === "none") return
    const [what, next] = afterTail[this.#tail]
    if (type !== next) this.#breach(at, `${type} after ${what}`)
  }

  #turnStarted(at: number, index: number): void {
    this.#started = true
    this.#index = index
    this.#session.turns ??= index
    if (index !== this.#session.turns) this.#breach(at, `turn ${index} after ${this.#session.turns} turns`)
    this.#session.turns = index + 1
  }

  #stepStarted(at: number, index: number): void {
    const breach = (rule: string) => this.#breach(at, rule)
    if (this.#step !== undefined) breach("a step started before the one before had finished")
    else if (this.#last === "closed") breach("a step after the closing reply")
    else if (this.#last === "cut") breach("a step after one that was cut off")
    else if (this.#last === "silent" && ++this.#silentSteps > 1) breach("a step after a second one without a word")
    if (index !== this.#steps) breach(`step ${index} after ${this.#steps} steps`)
    this.#steps++
    if (this.#session.steps !== undefined) this.#session.steps++
    this.#step = new StepChecker(this.#breach, index, this.#known)
    this.#lastStep = this.#step
  }

  #turnFinished(at: number, frame: EventFrame<"turn_finished">): void {
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

/** By the last event of an ending turn, in words: the one event that may follow. */
const afterTail: { readonly [T in Exclude<Tail, "none">]: readonly [what: string, next: EventType] } = {
  error: ["a step_error", "session_failed"],
  completed: ["session_completed", "turn_finished"],
  failed: ["session_failed", "turn_finished"],
  finished: ["turn_finished", "steer_undelivered"]
}
