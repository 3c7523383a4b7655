import { cutText } from "../../domain/CutText.ts"

/** A longer line is cut, in characters. */
const maxLineLength = 1000

/** How many of the last lines are kept for {@link ServerLog.lastLines}. */
const keptLines = 20

/** How many lines wait for {@link ServerLog.take}; further ones are only counted. */
const maxWaiting = 500

/** Splits a server's output into lines and keeps the last and the new ones, in bounded memory. */
export class ServerLog {
  readonly #decoder = new TextDecoder()
  readonly #redact: (line: string) => string
  #unfinished = ""
  #isCut = false
  #last: Array<string> = []
  #waiting: Array<string> = []
  #leftOut = 0

  /** `redact` removes secrets from a line. */
  constructor(redact: (line: string) => string = (line) => line) {
    this.#redact = redact
  }

  push(bytes: Uint8Array): void {
    this.#read(this.#decoder.decode(bytes, { stream: true }))
  }

  /** Takes the end of the output: an unfinished line counts as a line. */
  end(): void {
    this.#read(`${this.#decoder.decode()}\n`)
  }

  /** Forgets the last lines, for the next run of the server. */
  begin(): void {
    this.#last = []
  }

  /** The last lines, oldest first. */
  get lastLines(): ReadonlyArray<string> {
    return this.#last
  }

  /** Removes and returns the new lines, oldest first, and the number of those that were dropped. */
  take(): ReadonlyArray<string> {
    const lines = this.#waiting
    if (this.#leftOut > 0) lines.push(`(${this.#leftOut} lines are left out here)`)
    this.#waiting = []
    this.#leftOut = 0
    return lines
  }

  #read(text: string): void {
    const parts = text.split(/\r\n|\n|\r/)
    for (const [index, part] of parts.entries()) {
      const room = this.#isCut ? 0 : maxLineLength - this.#unfinished.length
      this.#unfinished += cutText(part, room)
      this.#isCut ||= part.length > room
      if (index < parts.length - 1) this.#endLine()
    }
  }

  #endLine(): void {
    const line = this.#redact(`${this.#unfinished.trimEnd()}${this.#isCut ? "…" : ""}`)
    this.#unfinished = ""
    this.#isCut = false
    if (line === "") return
    this.#last.push(line)
    if (this.#last.length > keptLines) this.#last.shift()
    if (this.#waiting.length < maxWaiting) this.#waiting.push(line)
    else this.#leftOut += 1
  }
}
