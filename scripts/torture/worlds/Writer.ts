import { setImmediate } from "node:timers/promises"
import type { Writable } from "node:stream"
import type { Writing } from "./Plan.ts"

/** Writes a host's lines the way the plan says, in their order. */
export class Writer {
  readonly #to: Writable
  readonly #how: Writing
  #held: Array<Uint8Array> = []
  #done: Promise<void> = Promise.resolve()

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
        return this.#inParts([[line, 1 + (line.length % 37)]])
      case "bytes": {
        // Of a long line only the beginning and the end: byte by byte the middle takes seconds.
        const end = Math.max(300, line.length - 100)
        const [first, middle, last] = [line.subarray(0, 300), line.subarray(300, end), line.subarray(end)]
        return this.#inParts([
          [first, 1],
          [middle, 1009],
          [last, 1]
        ])
      }
    }
  }

  /** Writes what was held back, at once. */
  release(): void {
    if (this.#held.length > 0) this.#to.write(Buffer.concat(this.#held))
    this.#held = []
  }

  /** Resolves when all of it is written. */
  get flushed(): Promise<void> {
    this.release()
    return this.#done
  }

  /** Each part is a write of its own. */
  #inParts(all: ReadonlyArray<readonly [bytes: Uint8Array, size: number]>): void {
    this.#done = this.#done.then(async () => {
      for (const [bytes, size] of all) {
        for (let at = 0; at < bytes.length; at += size) {
          this.#to.write(bytes.subarray(at, at + size))
          await setImmediate()
        }
      }
    })
  }
}
