import { Buffer } from "node:buffer"

/** The most that is kept of one line, in bytes. */
const maxLineBytes = 4000

/** Reading ends within a line that is longer than this, in bytes. */
const maxScannedBytes = 64 * 1024 * 1024

/** The most that is kept of all lines together, in characters. */
const maxCharacters = 30_000

const lineFeed = 10
const carriageReturn = 13

/**
 * Takes the lines `first … first + limit - 1` out of bytes that arrive in pieces, and counts all lines. Only what is
 * shown is held in memory: the rest of a long line and all other lines are merely counted.
 */
export class LineWindow {
  readonly first: number
  readonly taken: Array<string> = []
  /** The number of complete lines so far. */
  lines = 0
  /** A line was longer than what is kept of it. */
  isCut = false
  hasCarriageReturns = false
  hasUndecodable = false
  endsWithNewline = false

  private readonly limit: number
  private pieces: Array<Buffer> = []
  private kept = 0
  private length = 0
  private lastByte = 0
  private characters = 0
  private isFull = false

  constructor(first: number, limit: number) {
    this.first = first
    this.limit = limit
  }

  /** False once no further line will be taken and only the count can change. The bytes may be reused afterwards. */
  push(bytes: Buffer): boolean {
    let from = 0
    while (from < bytes.length) {
      const newline = bytes.indexOf(lineFeed, from)
      const to = newline === -1 ? bytes.length : newline
      this.keep(bytes, from, to)
      if (newline !== -1) this.closeLine()
      from = newline === -1 ? to : to + 1
    }
    if (bytes.length > 0) this.endsWithNewline = bytes.at(-1) === lineFeed
    const isEndless = this.isInside && this.length > maxScannedBytes
    return !this.isFull && !isEndless && this.lines < this.first + this.limit - 1
  }

  /** Takes the text behind the last line break as a line. Called once, at the end of the input. */
  end(): void {
    if (this.length > 0) this.closeLine()
  }

  private get isInside(): boolean {
    const number = this.lines + 1
    return !this.isFull && number >= this.first && number < this.first + this.limit
  }

  private keep(bytes: Buffer, from: number, to: number): void {
    if (to === from) return
    this.length += to - from
    this.lastByte = bytes[to - 1] ?? 0
    const room = maxLineBytes - this.kept
    if (!this.isInside || room <= 0) return
    const piece = Buffer.from(bytes.subarray(from, Math.min(to, from + room)))
    this.pieces.push(piece)
    this.kept += piece.length
  }

  private closeLine(): void {
    if (this.isInside) this.take()
    this.lines += 1
    this.pieces = []
    this.kept = 0
    this.length = 0
    this.lastByte = 0
  }

  private take(): void {
    const hidden = this.length - this.kept
    const hasReturn = this.lastByte === carriageReturn
    const bytes = Buffer.concat(this.pieces)
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      hasReturn && hidden === 0 ? bytes.subarray(0, -1) : bytes,
      { stream: hidden > 0 }
    )
    const line = hidden > 0 ? `${text}… (${hidden} more bytes)` : text
    if (this.taken.length > 0 && this.characters + line.length > maxCharacters) {
      this.isFull = true
      return
    }
    this.characters += line.length + 1
    this.isCut ||= hidden > 0
    this.hasCarriageReturns ||= hasReturn
    this.hasUndecodable ||= text.includes("\uFFFD") && !bytes.includes("\uFFFD")
    this.taken.push(line)
  }
}
