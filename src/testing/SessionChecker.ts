import type { EventFrame, SidecarEvent } from "../protocol/Event.ts"
import type { SendMessageResult } from "../protocol/Request.ts"
import type { Breach } from "./Breach.ts"
import type { KnownIds } from "./StepChecker.ts"
import { type SessionCounts, TurnChecker } from "./TurnChecker.ts"

/** Checks the frames of one session: its turns do not overlap, and each accepted steer is applied or undelivered. */
export class SessionChecker {
  readonly id: string
  /** True between `session_started` and the response to the request that started the session. */
  isStarting = false
  acceptedSteers = 0
  readonly #breach: Breach
  readonly #known: KnownIds
  readonly #counts: SessionCounts
  readonly #queuedIds = new Set<string>()
  readonly #endedTurns = new Set<string>()
  #turn: TurnChecker | undefined
  #applied = 0
  #undelivered = 0

  constructor(breach: Breach, id: string, known: KnownIds) {
    this.#breach = breach
    this.id = id
    this.#known = known
    this.#counts = { id, turns: undefined, steps: undefined }
  }

  /** The running turn. */
  get turnId(): string | undefined {
    return this.#turn?.id
  }

  /** Takes the response to the request that started the session. */
  answered(at: number, isNew: boolean): void {
    this.isStarting = false
    if (!isNew) return
    if (this.#counts.turns !== undefined) this.#breach(at, `session ${this.id} is not a new one`)
    this.#counts.turns = 0
    this.#counts.steps = 0
  }

  ofTurn(at: number, frame: SidecarEvent, turnId: string): void {
    if (frame.type === "user_message") return this.#userMessage(at, turnId)
    if (frame.type === "steer_applied") this.#applied++
    if (frame.type === "steer_undelivered") this.#undelivered++
    if (this.#turn?.id === turnId) return this.#turn.check(at, frame)
    // The only event of a turn that was cancelled before it started.
    if (frame.type === "steer_undelivered" && !this.#endedTurns.has(turnId)) return
    const why = this.#endedTurns.has(turnId) ? "after its response" : "without a user_message"
    this.#breach(at, `${frame.type} of turn ${turnId} ${why}`)
  }

  queued(at: number, { payload }: EventFrame<"turn_queued">): void {
    if (this.#turn?.id === payload.turnId || this.#endedTurns.has(payload.turnId)) {
      this.#breach(at, "turn_queued after the user_message of its turn")
    }
    if (this.#queuedIds.has(payload.turnId)) this.#breach(at, `turn ${payload.turnId} was queued twice`)
    this.#queuedIds.add(payload.turnId)
  }

  /** True if a turn that ended so would be the running one. */
  awaits({ reason }: SendMessageResult): boolean {
    return this.#turn !== undefined && (reason !== "cancelled" || this.#turn.isFinished)
  }

  /** A queued turn that is cancelled gets its response too, possibly while another turn runs. */
  respond(at: number, result: SendMessageResult, isEarly: boolean): void {
    const turn = this.#turn
    if (turn !== undefined && (result.reason !== "cancelled" || (turn.isFinished && !isEarly))) {
      if (isEarly) this.#breach(at, `a message was answered ${result.reason} before an older one`)
      turn.respond(at, result)
      this.#endedTurns.add(turn.id)
      this.#turn = undefined
      return
    }
    if (result.reason !== "cancelled") return this.#breach(at, `a turn ended ${result.reason} without a user_message`)
    // Its counts may be ahead of the frames that have been read, never behind.
    const { steps, turns } = this.#counts
    if (turns !== undefined && result.turnCount < turns) {
      this.#breach(at, `turnCount ${result.turnCount} of a turn that never started, after ${turns} turns`)
    }
    if (steps !== undefined && result.stepCount < steps) {
      this.#breach(at, `stepCount ${result.stepCount} of a turn that never started, after ${steps} steps`)
    }
  }

  /** The run is over. */
  end(at: number): void {
    if (this.#turn !== undefined) this.#breach(at, `turn ${this.#turn.id} has no response`)
    if (this.isStarting) this.#breach(at, "a session started, and its request was not answered")
    if (this.acceptedSteers !== this.#applied + this.#undelivered) {
      const counts = `${this.#applied} applied, ${this.#undelivered} undelivered`
      this.#breach(at, `${this.acceptedSteers} steers were accepted, ${counts}`)
    }
  }

  #userMessage(at: number, turnId: string): void {
    if (this.#turn !== undefined) this.#breach(at, `a turn began before the response of turn ${this.#turn.id}`)
    if (this.#turn?.id === turnId || this.#endedTurns.has(turnId)) this.#breach(at, `turn ${turnId} began twice`)
    if (this.isStarting) this.#breach(at, "a turn began before the response to the start of its session")
    this.#turn = new TurnChecker(this.#breach, turnId, this.#counts, this.#known)
  }
}
