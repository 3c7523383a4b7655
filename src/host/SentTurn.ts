import type { EventPayload, SidecarEvent } from "../protocol/Event.ts"
import type { SendMessageResult } from "../protocol/Request.ts"
import { Mailbox } from "./Mailbox.ts"

/** A piece of a turn's text. All pieces in order are what the model writes to the user, each character once. */
export interface TurnPiece {
  /** Continues the text of the pieces before. It may be empty if the piece only ends a message or adds attachments. */
  readonly text: string
  /** The piece ends a message: a `note`, after which the turn goes on, or the closing `reply`. */
  readonly ends?: "note" | "reply"
  /** Absolute paths of the files that the reply hands over. */
  readonly attachments?: ReadonlyArray<string>
}

/** How a turn ended (contract 6). A cancelled or failed turn has a result too. */
export interface TurnResult extends SendMessageResult {
  /** What failed, if the reason is `failed`. */
  readonly failure?: Pick<EventPayload<"session_failed">, "error" | "category">
}

/**
 * A message that was sent, and the turn that it begins. Iterating over it, which can be done once, gives the text of the
 * turn. Leaving the loop early does not cancel the turn. Pieces that have not been read wait; neighbouring pieces of one
 * message are joined.
 */
export interface SentTurn extends AsyncIterable<TurnPiece, undefined> {
  readonly sessionId: string
  /** The sidecar's id for the turn; undefined until the turn starts or is reported as queued. */
  readonly turnId: string | undefined
  /**
   * Resolves when the turn has ended. Rejects with `RequestFailed` if the message was refused, with `SidecarGone` if the
   * sidecar ended first, and with the signal's reason if the signal was aborted before anything was sent.
   */
  readonly result: Promise<TurnResult>
}

/** How many messages of a turn may wait for a reader. */
const maxWaitingPieces = 10_000

/** The host's side of a sent turn: it takes the events of the turn and gives pieces. */
export class TrackedTurn implements SentTurn {
  readonly sessionId: string
  readonly message: string
  readonly result: Promise<TurnResult>
  turnId: string | undefined
  started = false
  #resolve!: (result: TurnResult) => void
  #reject!: (error: Error) => void
  readonly #pieces = new Mailbox<TurnPiece>({ limit: maxWaitingPieces, merge: mergePieces, onReturn: () => {} })
  #streamed = ""
  #failure: TurnResult["failure"]

  constructor(sessionId: string, message: string) {
    this.sessionId = sessionId
    this.message = message
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // A caller that only iterates gets the error from the iterator; the promise must not count as unhandled.
    this.result.catch(() => {})
  }

  onEvent(event: SidecarEvent): void {
    switch (event.type) {
      case "step_started":
        this.#streamed = ""
        return
      case "assistant_delta":
        this.#streamed += event.payload.text
        return this.#pieces.push({ text: event.payload.text })
      case "assistant_reply":
        return this.#onReply(event.payload)
      case "session_failed":
        this.#failure = { error: event.payload.error, category: event.payload.category }
        return
      default:
    }
  }

  succeed(result: SendMessageResult): void {
    this.#resolve(this.#failure === undefined ? result : { ...result, failure: this.#failure })
    this.#pieces.end()
  }

  fail(error: Error): void {
    this.#reject(error)
    this.#pieces.end(error)
  }

  /** Drops all pieces, for a turn that is never iterated over. */
  discardPieces(): void {
    void this.#pieces.return()
  }

  [Symbol.asyncIterator](): AsyncIterator<TurnPiece, undefined> {
    return this.#pieces
  }

  #onReply({ attachments, progressNote, text }: EventPayload<"assistant_reply">): void {
    const ends = progressNote === true ? "note" : "reply"
    const piece = { text: unstreamedText(this.#streamed, text), ends } as const
    this.#streamed = ""
    this.#pieces.push(attachments === undefined ? piece : { ...piece, attachments })
  }
}

/** The part of a reply that has not been streamed as deltas. White space around either makes no difference. */
export const unstreamedText = (streamed: string, reply: string): string => {
  if (reply.startsWith(streamed)) return reply.slice(streamed.length)
  const trimmed = streamed.trim()
  const whole = reply.trimStart()
  // Streamed text cannot be taken back, so a reply that is a different text follows it as a whole.
  return whole.startsWith(trimmed) ? whole.slice(trimmed.length).trimEnd() : reply
}

const mergePieces = (last: TurnPiece, next: TurnPiece): TurnPiece | undefined =>
  last.ends === undefined ? { ...next, text: last.text + next.text } : undefined
