import { Buffer } from "node:buffer"

const lf = 0x0a

/** Splits bytes into lines at LF only. A line is decoded when it is complete, so no character is ever cut in two. */
export class LineReader {
  readonly #maxBytes: number
  #parts: Array<Uint8Array> = []
  #bytes = 0

  /** @param maxBytes The longest line, in bytes. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that the chunk completes; undefined if a line is longer than the limit. */
  read(chunk: Uint8Array | string): ReadonlyArray<string> | undefined {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    const first = bytes.indexOf(lf)
    if (first === -1) return this.#append(bytes) ? [] : undefined
    if (this.#bytes + first > this.#maxBytes) return undefined
    // The complete lines are decoded together. Those after the first are no longer than the chunk.
    const end = bytes.lastIndexOf(lf)
    this.#append(bytes.subarray(0, end))
    const lines = this.#take().split("\n")
    return this.#append(bytes.subarray(end + 1)) ? lines : undefined
  }

  /** The text after the last LF. */
  end(): string {
    return this.#take()
  }

  #append(bytes: Uint8Array): boolean {
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
