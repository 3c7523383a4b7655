/** A line is cut behind so many characters. */
const maxLineLength = 1000

/** How many of the last lines are kept. */
const keptLines = 20

/** How many lines may wait to be told of; more of them are counted. */
const maxWaiting = 500

/** What a server writes, line by line, in bounded memory. */
export class ServerLog {
  readonly #decoder = new TextDecoder()
  readonly #hide: (words: string) => string
  #unfinished = ""
  #isCut = false
  #last: Array<string> = []
  #waiting: Array<string> = []
  #leftOut = 0

  /** `hide` takes out of a line what nobody may read. */
  constructor(hide: (words: string) => string = (words) => words) {
    this.#hide = hide
  }

  push(bytes: Uint8Array): void {
    this.#read(this.#decoder.decode(bytes, { stream: true }))
  }

  /** The server has ended: what stands there without an end is a line too. */
  end(): void {
    this.#read(`${this.#decoder.decode()}\n`)
  }

  /** Another server begins. */
  begin(): void {
    this.#last = []
  }

  /** The last lines, oldest first. */
  get last(): ReadonlyArray<string> {
    return this.#last
  }

  /** What has come since the last time, oldest first. */
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
      const room = maxLineLength - this.#unfinished.length
      this.#unfinished += part.slice(0, room)
      this.#isCut ||= part.length > room
      if (index < parts.length - 1) this.#endLine()
    }
  }

  #endLine(): void {
    const line = this.#hide(`${this.#unfinished.trimEnd()}${this.#isCut ? "…" : ""}`).toWellFormed()
    this.#unfinished = ""
    this.#isCut = false
    if (line === "") return
    this.#last.push(line)
    if (this.#last.length > keptLines) this.#last.shift()
    if (this.#waiting.length < maxWaiting) this.#waiting.push(line)
    else this.#leftOut += 1
  }
}
