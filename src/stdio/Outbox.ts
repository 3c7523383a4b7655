import { Buffer } from "node:buffer"
import type { EmittedEvent, EventPayload } from "../protocol/Event.ts"
import { eventLine } from "../protocol/Frame.ts"

/** The longest text of a merged delta, in characters, so that no line becomes too long for its reader. */
const maxDeltaLength = 32 * 1024

/** The estimated size of a delta's line without its text, in bytes: the line itself is only built by `take`. */
const deltaOverhead = 240

type Delta =
  | { readonly type: "assistant_delta"; readonly payload: EventPayload<"assistant_delta"> }
  | {
      readonly type: "reasoning_delta"
      readonly payload: EventPayload<"reasoning_delta">
    }

/** A delta that others may be merged into. */
interface Growing {
  readonly first: Delta
  text: string
}

/**
 * The frames that wait to be written, in order. Neighbouring deltas of one kind, turn and step are merged by
 * concatenating their texts (contract 3).
 */
export class Outbox {
  #waiting: Array<string | Growing> = []
  #sizes: Array<number> = []
  #head = 0
  #bytes = 0

  /** The size of the waiting frames in bytes; that of deltas is estimated. */
  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#head === this.#waiting.length
  }

  offer(event: EmittedEvent): void {
    if (event.type !== "assistant_delta" && event.type !== "reasoning_delta") return this.offerLine(eventLine(event))
    const last = this.#waiting.length - 1
    const growing = last >= this.#head ? this.#waiting[last] : undefined
    const size = Buffer.byteLength(event.payload.text)
    if (typeof growing === "object" && continues(growing, event)) {
      growing.text += event.payload.text
      this.#sizes[last]! += size
      this.#bytes += size
      return
    }
    this.#push({ first: event, text: event.payload.text }, size + deltaOverhead)
  }

  /** Adds a frame as its line, including the LF. */
  offerLine(line: string): void {
    this.#push(line, Buffer.byteLength(line))
  }

  /** Removes and returns the frames that fit into `maxBytes`, at least one if there is any. */
  take(maxBytes: number): string {
    let text = ""
    let taken = 0
    while (!this.isEmpty && (taken === 0 || taken + this.#sizes[this.#head]! <= maxBytes)) {
      const next = this.#waiting[this.#head]!
      taken += this.#sizes[this.#head]!
      this.#head++
      text += typeof next === "string" ? next : deltaLine(next)
    }
    this.#bytes -= taken
    this.#compact()
    return text
  }

  #push(frame: string | Growing, size: number): void {
    this.#waiting.push(frame)
    this.#sizes.push(size)
    this.#bytes += size
  }

  #compact(): void {
    if (this.#head < 1024 && !this.isEmpty) return
    this.#waiting = this.#waiting.slice(this.#head)
    this.#sizes = this.#sizes.slice(this.#head)
    this.#head = 0
  }
}

const continues = (growing: Growing, next: Delta): boolean => {
  const { first } = growing
  if (first.type !== next.type || growing.text.length + next.payload.text.length > maxDeltaLength) return false
  if (first.payload.sessionId !== next.payload.sessionId || first.payload.turnId !== next.payload.turnId) return false
  return (
    first.type === "assistant_delta" ||
    (next.type === "reasoning_delta" && first.payload.stepIndex === next.payload.stepIndex)
  )
}

const deltaLine = ({ first, text }: Growing): string =>
  first.type === "assistant_delta"
    ? eventLine({ type: first.type, payload: { ...first.payload, text } })
    : eventLine({ type: first.type, payload: { ...first.payload, text } })
