import type { Writable } from "node:stream"
import type { Writing } from "./Plan.ts"

/** Writes a host's lines the way the plan says, in their order. */
export class Writer {
  readonly #to: Writable
  readonly #how: Writing
  #held: Array<Uint8Array> = []
  #queue: Array<Uint8Array> = []
  #idle: Promise<void> | undefined

  constructor(to: Writable, how: Writing) {
    this.#to = to
    this.#how = how
  }

  write(line: Uint8Array): void {
    switch (this.#how) {
      case "lines":
        return void this.#to.write(line)
      case "together":
        return void this.#held.push(line)
      case "pieces":
        return this.#inParts(line, 1 + (line.length % 37))
      case "bytes":
        // Of a long one only the beginning and the end: the middle tells nothing new, and takes seconds.
        this.#inParts(line.subarray(0, 300), 1)
        this.#inParts(line.subarray(300, -100), 1009)
        return this.#inParts(line.subarray(Math.max(300, line.length - 100)), 1)
    }
  }

  /** What was held back goes in one write. */
  release(): void {
    if (this.#held.length > 0) this.#to.write(Buffer.concat(this.#held))
    this.#held = []
  }

  /** Until all of it has been written. */
  get flushed(): Promise<void> {
    this.release()
    return this.#idle ?? Promise.resolve()
  }

  #inParts(bytes: Uint8Array, size: number): void {
    for (let at = 0; at < bytes.length; at += size) this.#queue.push(bytes.subarray(at, at + size))
    this.#idle ??= this.#drain()
  }

  async #drain(): Promise<void> {
    for (let at = 0; at < this.#queue.length; at++) {
      this.#to.write(this.#queue[at])
      // Each is a write of its own.
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#queue = []
    this.#idle = undefined
  }
}
