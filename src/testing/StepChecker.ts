import type { EventFrame, SidecarEvent } from "../protocol/Event.ts"
import type { Breach } from "./Breach.ts"
import { CallEventChecker } from "./CallEventChecker.ts"

/** How a step ended. */
export type StepEnd =
  /** With the closing reply: no further step may follow. */
  | "closed"
  /** With tool calls or a progress note: another step may follow. */
  | "acted"
  /** Without a word: one more step may follow, once in a turn. */
  | "silent"
  /** Before the model's answer was complete or led to anything: only the end of a cancelled turn may follow. */
  | "cut"

/** The phases of a step, in their order. */
type Phase = "steers" | "request" | "words" | "answered" | "noted" | "calls" | "replied"

interface Call {
  readonly started: EventFrame<"tool_call_started">
  state: "open" | "asked" | "answered"
}

interface Approval {
  readonly callId: string
  /** The extensions that were granted at the time of the request. */
  readonly granted: ReadonlySet<string>
  resolved: boolean
}

/** Ids and extensions of the whole run, across its steps. */
export interface KnownIds {
  readonly callIds: Set<string>
  readonly approvalIds: Set<string>
  /** The extensions that the last `hello` granted. */
  granted: ReadonlySet<string>
}

/** Checks the order of the events of one step (contract 4). */
export class StepChecker {
  readonly #breach: Breach
  readonly #index: number
  readonly #known: KnownIds
  readonly #calls = new Map<string, Call>()
  readonly #callEvents: CallEventChecker
  /** Approvals by id, from their request to their call's result. */
  readonly #approvals = new Map<string, Approval>()
  #phase: Phase = "steers"
  #requested = false
  #text = ""
  #replied = false
  #finished = false

  constructor(breach: Breach, index: number, known: KnownIds) {
    this.#breach = breach
    this.#index = index
    this.#known = known
    this.#callEvents = new CallEventChecker(breach, (callId) => {
      const call = this.#calls.get(callId)
      return call === undefined || call.state === "answered" ? undefined : call.started.payload.tool
    })
  }

  /** True if this step has the closing reply of its turn. */
  get hasClosed(): boolean {
    return this.#replied
  }

  get hasCalls(): boolean {
    return this.#calls.size > 0
  }

  /** True if a call of `finish` succeeded. */
  get hasFinished(): boolean {
    return this.#finished
  }

  check(at: number, frame: SidecarEvent): void {
    switch (frame.type) {
      case "steer_applied":
        this.#only(at, frame, "steers")
        return this.#ofThisStep(at, frame, frame.payload.stepIndex)
      case "llm_request":
        this.#only(at, frame, "steers", "request", "words")
        if (this.#requested) this.#breach(at, "llm_request twice in a step")
        this.#requested = true
        if (this.#phase === "steers") this.#phase = "request"
        return
      case "llm_progress":
        this.#only(at, frame, "steers", "request", "words")
        if (frame.payload.phase === "prefill" && !this.#requested) this.#breach(at, "prefill before its llm_request")
        if (this.#phase === "steers") this.#phase = "request"
        return
      case "reasoning_delta":
      case "assistant_delta":
        this.#only(at, frame, "steers", "request", "words")
        this.#phase = "words"
        if (frame.type === "assistant_delta") this.#text += frame.payload.text
        else this.#ofThisStep(at, frame, frame.payload.stepIndex)
        return
      case "llm_response":
        this.#only(at, frame, "request", "words")
        if (!this.#requested) this.#breach(at, "llm_response without an llm_request")
        this.#phase = "answered"
        return
      case "assistant_reply":
        return this.#assistantReply(at, frame)
      case "tool_call_started":
        return this.#toolCallStarted(at, frame)
      case "approval_request":
        return this.#approvalRequest(at, frame)
      case "approval_resolved":
        return this.#approvalResolved(at, frame.payload.approvalId)
      case "tool_call_result":
        return this.#toolCallResult(at, frame)
      default:
        this.#callEvents.check(at, frame)
    }
  }

  /** Ends the step, at its `step_finished` or at the `error` of a failed step. */
  end(at: number): StepEnd {
    for (const [callId, { state }] of this.#calls) {
      if (state !== "answered") this.#breach(at, `call ${callId} has no result`)
    }
    for (const approvalId of this.#approvals.keys()) this.#breach(at, `approval ${approvalId} was left open`)
    const whole = this.#batchSize()
    if (whole !== undefined && this.#calls.size !== whole) {
      this.#breach(at, `${this.#calls.size} calls of a batch of ${whole} were announced`)
    }
    if (this.#replied) return "closed"
    if (this.#phase === "answered" && this.#text.trim() === "") return "silent"
    return this.#phase === "noted" || this.#phase === "calls" || this.#phase === "replied" ? "acted" : "cut"
  }

  #assistantReply(at: number, { payload }: EventFrame<"assistant_reply">): void {
    this.#only(at, { type: "assistant_reply" }, "answered", "calls")
    if ([...this.#calls.values()].some(({ state }) => state !== "answered")) {
      this.#breach(at, "an assistant_reply while calls are open")
    }
    const isNote = payload.progressNote === true
    if (payload.progressNote === false) this.#breach(at, "progressNote is false, and not absent")
    // After calls or blank text the closing reply is the sidecar's own text, which was never streamed.
    const isOwn = this.#phase === "calls" || (!isNote && this.#text.trim() === "")
    if (!isOwn && payload.text !== this.#text) this.#breach(at, "an assistant_reply that is not what was streamed")
    if (isNote && payload.attachments !== undefined) this.#breach(at, "a note on the way carries attachments")
    if (!isNote) this.#replied = true
    this.#phase = isNote && this.#phase === "answered" ? "noted" : "replied"
  }

  #toolCallStarted(at: number, frame: EventFrame<"tool_call_started">): void {
    const { payload } = frame
    this.#only(at, frame, "answered", "noted", "calls")
    if ([...this.#calls.values()].some(({ state }) => state !== "open")) {
      this.#breach(at, "a call was announced after its batch had begun")
    }
    if (this.#phase === "answered" && this.#text.trim() !== "") {
      this.#breach(at, "text came with calls, and no assistant_reply before them")
    }
    this.#ofThisStep(at, frame, payload.step)
    if (payload.stepIndex !== -1) this.#breach(at, "stepIndex of a tool event is not -1")
    if (this.#known.callIds.has(payload.callId)) this.#breach(at, `call ${payload.callId} was announced twice`)
    const { batchIndex, batchSize } = payload
    const isSolo = batchIndex === undefined && batchSize === undefined
    if (this.#calls.size > 0 && batchSize !== this.#batchSize()) this.#breach(at, "a batch changed its size")
    if (isSolo && this.#calls.size > 0) this.#breach(at, "a second call without batchIndex and batchSize")
    if (!isSolo && (batchIndex !== this.#calls.size || (batchSize ?? 0) < 2 || batchIndex >= (batchSize ?? 0))) {
      this.#breach(at, `call ${batchIndex} of ${batchSize} came as number ${this.#calls.size}`)
    }
    this.#known.callIds.add(payload.callId)
    this.#calls.set(payload.callId, { started: frame, state: "open" })
    this.#phase = "calls"
  }

  #approvalRequest(at: number, { payload }: EventFrame<"approval_request">): void {
    const call = this.#calls.get(payload.callId)
    if (call?.state === "asked") this.#breach(at, "two approval_requests for one call")
    else if (call?.state !== "open") this.#breach(at, "an approval_request without an open call")
    if (call !== undefined && call.started.payload.tool !== payload.tool) {
      this.#breach(at, "an approval_request names another tool than its call")
    }
    if (this.#known.approvalIds.has(payload.approvalId)) {
      this.#breach(at, `approval ${payload.approvalId} was asked twice`)
    }
    if (this.#approvals.size > 0) this.#breach(at, "an approval_request while another one is open")
    this.#known.approvalIds.add(payload.approvalId)
    this.#approvals.set(payload.approvalId, {
      callId: payload.callId,
      granted: this.#known.granted,
      resolved: false
    })
    if (call?.state === "open") call.state = "asked"
  }

  #approvalResolved(at: number, approvalId: string): void {
    const approval = this.#approvals.get(approvalId)
    if (approval === undefined || approval.resolved) {
      return this.#breach(at, `approval_resolved of ${approvalId}, which is not open`)
    }
    approval.resolved = true
  }

  #toolCallResult(at: number, { payload }: EventFrame<"tool_call_result">): void {
    const call = this.#calls.get(payload.callId)
    if (call === undefined || call.state === "answered") return this.#breach(at, "a result without an open call")
    call.state = "answered"
    const { batchIndex, batchSize, tool } = call.started.payload
    if (tool === "finish" && payload.status === "ok") this.#finished = true
    if (payload.tool !== tool) this.#breach(at, "a result names another tool than its call")
    if (payload.batchIndex !== batchIndex || payload.batchSize !== batchSize) {
      this.#breach(at, "a result has another place in the batch than its call")
    }
    this.#ofThisStep(at, { type: "tool_call_result" }, payload.step)
    if (payload.stepIndex !== -1) this.#breach(at, "stepIndex of a tool event is not -1")
    for (const [approvalId, { callId, granted, resolved }] of this.#approvals) {
      if (callId !== payload.callId) continue
      this.#approvals.delete(approvalId)
      // A `hello` between the two may have revoked the extension and granted it again.
      if (!resolved && granted === this.#known.granted && granted.has("approval_resolved")) {
        this.#breach(at, `a result before the approval_resolved of ${approvalId}`)
      }
    }
  }

  #batchSize(): number | undefined {
    for (const { started } of this.#calls.values()) return started.payload.batchSize
    return undefined
  }

  #only(at: number, { type }: Pick<SidecarEvent, "type">, ...phases: ReadonlyArray<Phase>): void {
    if (!phases.includes(this.#phase)) this.#breach(at, `${type} in the phase "${this.#phase}" of a step`)
  }

  #ofThisStep(at: number, { type }: Pick<SidecarEvent, "type">, index: number): void {
    if (index !== this.#index) this.#breach(at, `${type} names step ${index} in step ${this.#index}`)
  }
}
