import type { EventFrame, SidecarEvent } from "../protocol/Event.ts"
import type { SendMessageResult } from "../protocol/Request.ts"
import type { Answer, Connection } from "./Connection.ts"
import { sessionOf } from "./KnownEvents.ts"
import type { LiveTurn } from "./Turn.ts"

interface Place {
  readonly turn: LiveTurn
  /** Somebody wants it to end. */
  stopping: boolean
  readonly asked: { cancel: boolean; unqueue: boolean }
}

/**
 * Knows which turn an event belongs to. The turns of a session are played one at a time and in order (contract 5), so
 * the first one that has not been answered is the one that speaks.
 */
export class TurnDesk {
  readonly #connection: Connection
  /** By session, in the order of sending. */
  readonly #lines = new Map<string, Array<Place>>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Sends the message; `onAnswer` hears the response as it came. */
  send(turn: LiveTurn, payload: unknown, onAnswer: (answer: Answer) => void = () => {}): void {
    const { sessionId } = turn
    const place: Place = { turn, stopping: false, asked: { cancel: false, unqueue: false } }
    const line = this.#lines.get(sessionId) ?? []
    this.#lines.set(sessionId, line)
    line.push(place)
    this.#connection.call("send_message", payload, (answer) => {
      line.splice(line.indexOf(place), 1)
      if (line.length === 0) this.#lines.delete(sessionId)
      if (answer.ok) turn.succeed(answer.payload as SendMessageResult)
      else turn.fail(answer.error)
      onAnswer(answer)
      this.#stopThose(line)
    })
  }

  hear(event: SidecarEvent): void {
    const line = this.#lines.get(sessionOf(event) ?? "")
    if (line === undefined) return
    if (event.type === "turn_queued") return this.#queued(line, event.payload.turnId)
    if (event.type === "user_message") return this.#begin(line, event)
    line.find(({ turn }) => turn.started)?.turn.hear(event)
  }

  /**
   * Ends a turn that is not wanted any more. One that runs is cancelled, which by the protocol ends those that wait
   * behind it too. One that waits is taken out of the queue where `hello` has granted that, else it is cancelled when
   * its time has come: an early cancel would end the turn before it.
   */
  stop(turn: LiveTurn): void {
    const line = this.#lines.get(turn.sessionId) ?? []
    const place = line.find((each) => each.turn === turn)
    if (place === undefined) return
    place.stopping = true
    this.#stopThose(line)
  }

  #queued(line: ReadonlyArray<Place>, turnId: string): void {
    const place = line.find(({ turn }) => turn.turnId === undefined)
    if (place !== undefined) place.turn.turnId = turnId
    this.#stopThose(line)
  }

  #begin(line: ReadonlyArray<Place>, { payload: { text, turnId } }: EventFrame<"user_message">): void {
    const waiting = line.map(({ turn }) => turn).filter(({ started }) => !started)
    const turn =
      waiting.find((each) => each.turnId !== undefined && each.turnId === turnId) ??
      waiting.find((each) => each.message === text) ??
      waiting[0]
    if (turn === undefined) return
    turn.started = true
    turn.turnId = turnId
  }

  #stopThose(line: ReadonlyArray<Place>): void {
    for (const [index, { asked, stopping, turn }] of [...line].entries()) {
      const { sessionId, turnId } = turn
      if (!stopping) continue
      if ((index === 0 || turn.started) && !asked.cancel) {
        // It ends all that stand in line by now; those that come later it must not meet a second time.
        for (const each of line) each.asked.cancel = true
        this.#connection.call("cancel", { sessionId })
      } else if (index > 0 && turnId !== undefined && this.#connection.granted.has("queue") && !asked.unqueue) {
        asked.unqueue = true
        this.#connection.call("unqueue", { sessionId, turnId })
      }
    }
  }
}
