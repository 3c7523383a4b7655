import type { EventPayload, SidecarEvent } from "../protocol/Event.ts"
import type { SendMessageResult } from "../protocol/Request.ts"
import { Mailbox } from "./Mailbox.ts"

/** A piece of what the model says in a turn: all of them in a row are its text, once. */
export interface TurnPiece {
  /** To be put behind what came before; may be empty where only an end is told. */
  readonly text: string
  /** Ends a message: a `note` on the way, after which the turn goes on, or the closing `reply`. */
  readonly ends?: "note" | "reply"
  /** Files that the reply hands over, by absolute path. */
  readonly attachments?: ReadonlyArray<string>
}

/** How a turn ended (contract 6); a cancelled or failed one is a result too. */
export interface TurnResult extends SendMessageResult {
  /** Why, where the reason is `failed`. */
  readonly failure?: Pick<EventPayload<"session_failed">, "error" | "category">
}

/**
 * One message on its way and what is said to it. Iterate it once; leaving the loop early does not cancel the turn.
 * What is not read yet waits, pieces of a message joined.
 */
export interface Turn extends AsyncIterable<TurnPiece, undefined> {
  readonly sessionId: string
  /** The sidecar's name for it, once it has told one. */
  readonly turnId: string | undefined
  /**
   * Rejects with `RequestFailed` where the message was not accepted, with `SidecarGone` where no answer can come, and
   * with the reason of a signal that was aborted before anything was sent.
   */
  readonly result: Promise<TurnResult>
}

/** How many messages of a turn may wait for a reader. */
const waitingLimit = 10_000

/** A turn as it is heard: events in, pieces out. */
export class LiveTurn implements Turn {
  readonly sessionId: string
  readonly message: string
  readonly result: Promise<TurnResult>
  turnId: string | undefined
  started = false
  settled = false
  readonly #settle: { readonly resolve: (result: TurnResult) => void; readonly reject: (error: Error) => void }
  readonly #pieces = new Mailbox<TurnPiece>({ limit: waitingLimit, merge: mergePieces, onReturn: () => {} })
  #streamed = ""
  #failure: TurnResult["failure"]

  constructor(sessionId: string, message: string) {
    this.sessionId = sessionId
    this.message = message
    const { promise, reject, resolve } = Promise.withResolvers<TurnResult>()
    this.result = promise
    this.#settle = { resolve, reject }
    // Who only iterates hears of the error there.
    promise.catch(() => {})
  }

  hear(event: SidecarEvent): void {
    switch (event.type) {
      case "step_started":
        this.#streamed = ""
        return
      case "assistant_delta":
        this.#streamed += event.payload.text
        return this.#pieces.push({ text: event.payload.text })
      case "assistant_reply":
        return this.#reply(event.payload)
      case "session_failed":
        this.#failure = { error: event.payload.error, category: event.payload.category }
        return
      default:
    }
  }

  succeed(result: SendMessageResult): void {
    this.settled = true
    this.#settle.resolve(this.#failure === undefined ? result : { ...result, failure: this.#failure })
    this.#pieces.end()
  }

  fail(error: Error): void {
    this.settled = true
    this.#settle.reject(error)
    this.#pieces.end(error)
  }

  /** Nobody will iterate: nothing is kept. */
  mute(): void {
    void this.#pieces.return()
  }

  [Symbol.asyncIterator](): AsyncIterator<TurnPiece, undefined> {
    return this.#pieces
  }

  #reply({ attachments, progressNote, text }: EventPayload<"assistant_reply">): void {
    const piece = { text: unsaid(this.#streamed, text), ends: progressNote === true ? "note" : "reply" } as const
    this.#streamed = ""
    this.#pieces.push(attachments === undefined ? piece : { ...piece, attachments })
  }
}

/** What of a reply has not been streamed yet; white space around it makes no difference. */
export const unsaid = (streamed: string, reply: string): string => {
  if (reply.startsWith(streamed)) return reply.slice(streamed.length)
  const said = streamed.trim()
  const whole = reply.trimStart()
  // A text that is another one altogether cannot be taken back, only followed.
  return whole.startsWith(said) ? whole.slice(said.length).trimEnd() : reply
}

const mergePieces = (last: TurnPiece, next: TurnPiece): TurnPiece | undefined =>
  last.ends === undefined ? { ...next, text: last.text + next.text } : undefined
