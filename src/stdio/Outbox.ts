import { Buffer } from "node:buffer"
import { type Delta, isDelta, isSameText, withText } from "../protocol/Delta.ts"
import type { EmittedEvent } from "../protocol/Event.ts"
import { eventLine } from "../protocol/Frame.ts"

/** The longest text of a merged delta, in characters, so that no line becomes too long for its reader. */
const maxDeltaLength = 32 * 1024

/** The estimated size of a delta's line without its text, in bytes: the line itself is only built by `take`. */
const deltaOverhead = 240

/** A frame that waits, with its size in bytes. */
interface Waiting {
  /** Its line, or the first delta of those that are merged. */
  readonly frame: string | Delta
  /** The merged text of the deltas. */
  text: string
  size: number
}

/**
 * The frames that wait to be written, in order. Neighbouring deltas of one kind, turn and step are merged by
 * concatenating their texts (contract 3).
 */
export class Outbox {
  readonly #waiting: Array<Waiting> = []
  #bytes = 0

  /** The size of the waiting frames in bytes; that of deltas is estimated. */
  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  offer(event: EmittedEvent): void {
    if (!isDelta(event)) return this.offerLine(eventLine(event))
    const { text } = event.payload
    const last = this.#waiting.at(-1)
    const size = Buffer.byteLength(text)
    if (last === undefined || !continues(last, event)) return this.#push(event, text, size + deltaOverhead)
    last.text += text
    last.size += size
    this.#bytes += size
  }

  /** Adds a frame as its line, including the LF. */
  offerLine(line: string): void {
    this.#push(line, "", Buffer.byteLength(line))
  }

  /** Removes and returns the frames that fit into `maxBytes`, at least one if there is any. */
  take(maxBytes: number): string {
    let lines = ""
    let taken = 0
    let count = 0
    for (const { frame, size, text } of this.#waiting) {
      if (count > 0 && taken + size > maxBytes) break
      lines += typeof frame === "string" ? frame : eventLine(withText(frame, text))
      taken += size
      count++
    }
    this.#waiting.splice(0, count)
    this.#bytes -= taken
    return lines
  }

  #push(frame: Waiting["frame"], text: string, size: number): void {
    this.#waiting.push({ frame, text, size })
    this.#bytes += size
  }
}

const continues = ({ frame, text }: Waiting, next: Delta): boolean =>
  typeof frame === "object" && text.length + next.payload.text.length <= maxDeltaLength && isSameText(frame, next)
