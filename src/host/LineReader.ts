import { Buffer } from "node:buffer"

const lf = 0x0a

/** Bytes in, whole lines out, cut at LF only; a character is decoded once all of its line is there. */
export class LineReader {
  readonly #maxBytes: number
  #parts: Array<Uint8Array> = []
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that the chunk completes; undefined where a line has grown over the limit. */
  read(chunk: Uint8Array | string): ReadonlyArray<string> | undefined {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    const first = bytes.indexOf(lf)
    if (first === -1) return this.#keep(bytes) ? [] : undefined
    if (this.#bytes + first > this.#maxBytes) return undefined
    // Whole lines are decoded all at once; those in the middle are no longer than the chunk.
    const end = bytes.lastIndexOf(lf)
    this.#keep(bytes.subarray(0, end))
    const lines = this.#take().split("\n")
    return this.#keep(bytes.subarray(end + 1)) ? lines : undefined
  }

  /** What stood behind the last LF. */
  end(): string {
    return this.#take()
  }

  #keep(bytes: Uint8Array): boolean {
    if (bytes.length > 0) this.#parts.push(bytes)
    this.#bytes += bytes.length
    return this.#bytes <= this.#maxBytes
  }

  #take(): string {
    const text = Buffer.concat(this.#parts).toString("utf8")
    this.#parts = []
    this.#bytes = 0
    return text
  }
}
