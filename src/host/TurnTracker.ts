import type { EventFrame, SidecarEvent } from "../protocol/Event.ts"
import type { SendMessageResult } from "../protocol/Request.ts"
import type { Connection, RequestOutcome } from "./Connection.ts"
import { sessionOf } from "./KnownEvents.ts"
import type { TrackedTurn } from "./SentTurn.ts"

interface QueueEntry {
  readonly turn: TrackedTurn
  /** The application has aborted the turn. */
  aborted: boolean
  /** Which requests to end the turn have been sent. */
  readonly sent: { cancel: boolean; unqueue: boolean }
}

/**
 * Routes events to the turn that they belong to. A session runs its turns one at a time and in order (contract 5), so
 * the running turn is the first one without a response.
 */
export class TurnTracker {
  readonly #connection: Connection
  /** The turns without a response by session id, in the order of sending. */
  readonly #queues = new Map<string, Array<QueueEntry>>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Sends the message of a turn. `onOutcome` is called with the outcome of the request, after the turn has settled. */
  send(turn: TrackedTurn, payload: unknown, onOutcome: (outcome: RequestOutcome) => void = () => {}): void {
    const { sessionId } = turn
    const entry: QueueEntry = { turn, aborted: false, sent: { cancel: false, unqueue: false } }
    const queue = this.#queues.get(sessionId) ?? []
    this.#queues.set(sessionId, queue)
    queue.push(entry)
    this.#connection.call("send_message", payload, (outcome) => {
      queue.splice(queue.indexOf(entry), 1)
      if (queue.length === 0) this.#queues.delete(sessionId)
      if (outcome.ok) turn.succeed(outcome.payload as SendMessageResult)
      else turn.fail(outcome.error)
      onOutcome(outcome)
      this.#endAborted(queue)
    })
  }

  /** Passes an event of a turn on to it. */
  onEvent(event: SidecarEvent): void {
    const queue = this.#queues.get(sessionOf(event) ?? "")
    if (queue === undefined) return
    if (event.type === "turn_queued") return this.#onQueued(queue, event.payload.turnId)
    if (event.type === "user_message") return this.#onStarted(queue, event)
    queue.find(({ turn }) => turn.started)?.turn.onEvent(event)
  }

  /**
   * Ends a turn. A running turn is cancelled; by the protocol that ends the turns queued behind it too. A queued turn is
   * removed from the queue if `hello` has granted the extension `queue`. Otherwise it is cancelled once it runs, since
   * `cancel` before that would end the turn that runs now.
   */
  abort(turn: TrackedTurn): void {
    const queue = this.#queues.get(turn.sessionId) ?? []
    const entry = queue.find((each) => each.turn === turn)
    if (entry === undefined) return
    entry.aborted = true
    this.#endAborted(queue)
  }

  #onQueued(queue: ReadonlyArray<QueueEntry>, turnId: string): void {
    const entry = queue.find(({ turn }) => turn.turnId === undefined)
    if (entry !== undefined) entry.turn.turnId = turnId
    this.#endAborted(queue)
  }

  #onStarted(queue: ReadonlyArray<QueueEntry>, { payload: { text, turnId } }: EventFrame<"user_message">): void {
    const waiting = queue.map(({ turn }) => turn).filter(({ started }) => !started)
    const turn =
      waiting.find((each) => each.turnId !== undefined && each.turnId === turnId) ??
      waiting.find((each) => each.message === text) ??
      waiting[0]
    if (turn === undefined) return
    turn.started = true
    turn.turnId = turnId
  }

  #endAborted(queue: ReadonlyArray<QueueEntry>): void {
    for (const [index, { aborted, sent, turn }] of [...queue].entries()) {
      const { sessionId, turnId } = turn
      if (!aborted) continue
      if ((index === 0 || turn.started) && !sent.cancel) {
        // This cancel ends every turn that is queued now. A second one could end a turn that is sent in between.
        for (const each of queue) each.sent.cancel = true
        this.#connection.call("cancel", { sessionId })
      } else if (index > 0 && turnId !== undefined && this.#connection.granted.has("queue") && !sent.unqueue) {
        sent.unqueue = true
        this.#connection.call("unqueue", { sessionId, turnId })
      }
    }
  }
}
