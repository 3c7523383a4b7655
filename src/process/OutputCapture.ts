import { Buffer } from "node:buffer"

/** Keeps the head and the tail of a stream, at most `limit` bytes together. */
export class OutputCapture {
  /** Bytes of the stream so far. */
  total = 0
  private readonly headLimit: number
  private readonly tailLimit: number
  private readonly head: Array<Buffer> = []
  private headBytes = 0
  private tail: Array<Buffer> = []
  private tailBytes = 0

  constructor(limit: number) {
    this.headLimit = Math.ceil(limit / 2)
    this.tailLimit = Math.floor(limit / 2)
  }

  get isCut(): boolean {
    return this.total > this.headBytes + this.tailBytes
  }

  push(bytes: Buffer): void {
    this.total += bytes.length
    const room = Math.min(this.headLimit - this.headBytes, bytes.length)
    if (room > 0) {
      this.head.push(bytes.subarray(0, room))
      this.headBytes += room
    }
    const rest = bytes.subarray(room)
    if (rest.length === 0) return
    this.tail.push(rest)
    this.tailBytes += rest.length
    while (this.tailBytes - (this.tail[0]?.length ?? 0) >= this.tailLimit && this.tail.length > 0) {
      this.tailBytes -= this.tail.shift()?.length ?? 0
    }
    const excess = this.tailBytes - this.tailLimit
    if (excess > 0) this.tail[0] = (this.tail[0] ?? Buffer.alloc(0)).subarray(excess)
    this.tailBytes -= Math.max(0, excess)
  }

  /** The kept bytes as text, with a mark where bytes are missing. No character is cut in two. */
  text(): string {
    const head = Buffer.concat(this.head)
    const tail = Buffer.concat(this.tail)
    if (!this.isCut) return new TextDecoder().decode(Buffer.concat([head, tail]))
    const missing = this.total - this.headBytes - this.tailBytes
    const isContinued = (byte: number | undefined) => byte !== undefined && byte >> 6 === 0b10
    let from = 0
    while (from < 3 && isContinued(tail[from])) from += 1
    const before = new TextDecoder().decode(head, { stream: true })
    return `${before}\n… (${missing} bytes left out) …\n${new TextDecoder().decode(tail.subarray(from))}`
  }
}
