import { Buffer } from "node:buffer"
import type { EmittedEvent, EventPayload } from "../protocol/Event.ts"
import { eventLine } from "../protocol/Frame.ts"

/** A merged delta grows no longer than this, in characters, so that no line becomes a burden to its reader. */
const maxDeltaLength = 32 * 1024

/** What an event's envelope weighs beside its text, in bytes: an estimate for deltas, which are written late. */
const deltaOverhead = 240

type Delta =
  | { readonly type: "assistant_delta"; readonly payload: EventPayload<"assistant_delta"> }
  | {
      readonly type: "reasoning_delta"
      readonly payload: EventPayload<"reasoning_delta">
    }

/** A delta that may still grow. */
interface Growing {
  readonly first: Delta
  text: string
}

/**
 * The frames that wait to be written, in order. Deltas of one kind, turn and step that stand next to each other are
 * merged, their texts concatenated (contract 3).
 */
export class Outbox {
  #waiting: Array<string | Growing> = []
  #sizes: Array<number> = []
  #head = 0
  #bytes = 0

  /** What waits, in bytes. */
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

  /** A frame that is a line already, its LF included. */
  offerLine(line: string): void {
    this.#push(line, Buffer.byteLength(line))
  }

  /** Takes what fits into `maxBytes`, one frame at least where there is one. */
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
