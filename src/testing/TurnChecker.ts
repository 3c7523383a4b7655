import type { EventFrame, SidecarEvent } from "../protocol/Event.ts"

/** Where a turn stands; the order of contract 4 as a machine. */
interface OpenTurn {
  readonly id: string
  started: boolean
  index: number
  steps: number
  step: OpenStep | undefined
  failedStep: boolean
  closingReply: boolean
  ending: "completed" | "failed" | undefined
  finished: EventFrame<"turn_finished"> | undefined
}

interface OpenStep {
  readonly index: number
  /** `steer` before `request` before `words` before `response` before `calls`. */
  phase: "steer" | "request" | "words" | "response" | "calls"
  text: string
  readonly calls: Map<string, "started" | "answered">
}

/** Follows the turns of a run, one at a time, and tells each breach of their order. */
export class TurnChecker {
  readonly #breach: (at: number, rule: string) => void
  readonly #approvals = new Map<string, string>()
  readonly #over = new Set<string>()
  #turn: OpenTurn | undefined
  #turnsOfSession = 0
  #stepsOfSession = 0

  constructor(breach: (at: number, rule: string) => void) {
    this.#breach = breach
  }

  hear(at: number, frame: SidecarEvent): void {
    if (frame.type === "session_started") return this.#sessionStarts(at)
    if (frame.type === "user_message") return this.#opens(at, frame)
    if (frame.type === "turn_queued") return
    const turnId = "turnId" in frame.payload ? frame.payload.turnId : undefined
    if (turnId === undefined) return
    const turn = this.#turn
    if (turn === undefined || turn.id !== turnId) {
      const why = this.#over.has(turnId) ? "after its response" : "without a user_message"
      return this.#breach(at, `${frame.type} of turn ${turnId} ${why}`)
    }
    if (turn.finished !== undefined && frame.type !== "steer_undelivered") {
      return this.#breach(at, `${frame.type} after turn_finished`)
    }
    if (frame.type !== "turn_started" && !turn.started) this.#breach(at, `${frame.type} before turn_started`)
    this.#ofTurn(at, turn, frame)
  }

  respond(at: number, result: { reason: string; turnCount: number; stepCount: number }): void {
    const turn = this.#turn
    if (turn === undefined) {
      if (result.reason !== "cancelled") this.#breach(at, `a turn ended ${result.reason} without a user_message`)
      return
    }
    // A queued turn may be answered while another one plays: it never started.
    if (turn.finished === undefined) {
      if (result.reason !== "cancelled") this.#breach(at, "the response of a turn before its turn_finished")
      return
    }
    const { reason, stepCount } = turn.finished.payload
    if (reason !== result.reason) this.#breach(at, `turn_finished says ${reason}, the response ${result.reason}`)
    if (stepCount !== turn.steps) this.#breach(at, `turn_finished says ${stepCount} steps, there were ${turn.steps}`)
    if (result.turnCount !== turn.index + 1) this.#breach(at, `turnCount ${result.turnCount} after turn ${turn.index}`)
    if (this.#stepsOfSession > result.stepCount) this.#breach(at, `stepCount ${result.stepCount} is too small`)
    this.#over.add(turn.id)
    this.#turn = undefined
  }

  end(at: number): void {
    if (this.#turn !== undefined) this.#breach(at, `turn ${this.#turn.id} has no response`)
    for (const [approvalId] of this.#approvals) this.#breach(at, `approval ${approvalId} was left open`)
  }

  #sessionStarts(at: number): void {
    if (this.#turn !== undefined) this.#breach(at, "a session started before the turn of the old one was answered")
    this.#turnsOfSession = 0
    this.#stepsOfSession = 0
  }

  #opens(at: number, frame: EventFrame<"user_message">): void {
    if (this.#turn !== undefined) this.#breach(at, `a turn began before the response of turn ${this.#turn.id}`)
    const id = frame.payload.turnId ?? ""
    if (this.#over.has(id)) this.#breach(at, `turn ${id} began twice`)
    this.#turn = {
      id,
      started: false,
      index: this.#turnsOfSession,
      steps: 0,
      step: undefined,
      failedStep: false,
      closingReply: false,
      ending: undefined,
      finished: undefined
    }
  }

  #ofTurn(at: number, turn: OpenTurn, frame: SidecarEvent): void {
    const breach = (rule: string) => this.#breach(at, rule)
    switch (frame.type) {
      case "turn_started":
        if (turn.started) breach("turn_started twice")
        turn.started = true
        turn.index = frame.payload.turnIndex
        this.#turnsOfSession = turn.index + 1
        return
      case "step_started":
        if (turn.step !== undefined) breach("a step started before the one before had finished")
        if (turn.failedStep) breach("a step after a step_error")
        if (turn.closingReply) breach("a step after the closing reply")
        if (frame.payload.stepIndex !== turn.steps) breach(`step ${frame.payload.stepIndex} after ${turn.steps} steps`)
        turn.steps++
        this.#stepsOfSession++
        turn.step = { index: frame.payload.stepIndex, phase: "steer", text: "", calls: new Map() }
        return
      case "step_finished":
        if (turn.step === undefined) breach("step_finished without a step")
        this.#closeStep(at, turn)
        return
      case "error":
        turn.failedStep = true
        this.#closeStep(at, turn)
        return
      case "session_completed":
      case "session_failed":
        if (turn.step !== undefined) breach(`${frame.type} inside a step`)
        turn.ending = frame.type === "session_failed" ? "failed" : "completed"
        return
      case "turn_finished":
        return this.#finishes(at, turn, frame)
      case "steer_undelivered":
        if (turn.finished === undefined) breach("steer_undelivered before turn_finished")
        return
      default:
        if (turn.step === undefined) return breach(`${frame.type} outside a step`)
        this.#ofStep(at, turn, turn.step, frame)
    }
  }

  #ofStep(at: number, turn: OpenTurn, step: OpenStep, frame: SidecarEvent): void {
    const breach = (rule: string) => this.#breach(at, rule)
    const only = (...phases: ReadonlyArray<OpenStep["phase"]>) => {
      if (!phases.includes(step.phase)) breach(`${frame.type} in the phase "${step.phase}" of a step`)
    }
    switch (frame.type) {
      case "steer_applied":
        return only("steer")
      case "llm_request":
        only("steer", "words")
        if (step.phase === "steer") step.phase = "request"
        return
      case "assistant_delta":
      case "reasoning_delta":
        only("steer", "request", "words")
        step.phase = "words"
        if (frame.type === "assistant_delta") step.text += frame.payload.text
        return
      case "llm_response":
        only("request", "words")
        step.phase = "response"
        return
      case "assistant_reply":
        only("response", "calls")
        if (step.text !== "" && step.calls.size === 0 && frame.payload.text !== step.text) {
          breach("an assistant_reply that is not what was streamed")
        }
        if (turn.closingReply) breach("a reply after the closing one")
        if (frame.payload.progressNote !== true) turn.closingReply = true
        return
      case "tool_call_started":
        only("response", "calls")
        if (step.phase === "calls" && [...step.calls.values()].includes("answered")) {
          breach("a call was announced after a result of its batch")
        }
        step.phase = "calls"
        if (frame.payload.stepIndex !== -1) breach("stepIndex of a tool event is not -1")
        if (frame.payload.step !== step.index) breach("a call names another step")
        step.calls.set(frame.payload.callId, "started")
        return
      case "tool_call_result":
        if (step.calls.get(frame.payload.callId) !== "started") breach("a result without an open call")
        step.calls.set(frame.payload.callId, "answered")
        for (const [approvalId, callId] of this.#approvals) {
          if (callId === frame.payload.callId) this.#approvals.delete(approvalId)
        }
        return
      case "approval_request":
        if (step.calls.get(frame.payload.callId) !== "started") breach("an approval_request without an open call")
        this.#approvals.set(frame.payload.approvalId, frame.payload.callId)
        return
      default:
    }
  }

  #closeStep(at: number, turn: OpenTurn): void {
    for (const [callId, state] of turn.step?.calls ?? []) {
      if (state !== "answered") this.#breach(at, `call ${callId} has no result`)
    }
    turn.step = undefined
  }

  #finishes(at: number, turn: OpenTurn, frame: EventFrame<"turn_finished">): void {
    const breach = (rule: string) => this.#breach(at, rule)
    turn.finished = frame
    const { reason } = frame.payload
    if (turn.step !== undefined) breach("turn_finished inside a step")
    if (this.#approvals.size > 0) breach("turn_finished with an approval open")
    const wanted =
      reason === "failed" ? "failed" : reason === "finish" || reason === "max_steps" ? "completed" : undefined
    if (turn.ending !== wanted) breach(`turn_finished ${reason} after session_${turn.ending ?? "nothing"}`)
    if (turn.failedStep !== (reason === "failed")) breach(`turn_finished ${reason}, and step_error: ${turn.failedStep}`)
    const replied = reason === "reply" || reason === "finish" || reason === "max_steps"
    if (replied !== turn.closingReply) breach(`turn_finished ${reason}, and a closing reply: ${turn.closingReply}`)
  }
}
