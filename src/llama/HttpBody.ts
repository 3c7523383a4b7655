/** Where the reader of a body is. */
export interface BodyState {
  readonly isChunked: boolean
  readonly phase: "size" | "extension" | "data" | "data end" | "trailer" | "end"
  /** What is to come of the body or the chunk, in bytes; in `size`, what has been read of the number. */
  readonly left: number
  /** Digits of the size, or 1 within a line of the trailer. */
  readonly read: number
}

/** What one read brought: the bytes of the body now stand between `from` and `to`. */
export interface BodyStep {
  readonly state: BodyState
  readonly from: number
  readonly to: number
  /** How many bytes belong to the answer: all, unless it has ended. */
  readonly used: number
  /** What is wrong with the framing; nothing behind it can be read. */
  readonly wrong?: string
}

/** The body of an answer with this head (RFC 9112, 6.3); or what is wrong with the head. */
export const start = (status: number, headers: { readonly [name: string]: string | undefined }): BodyState | string => {
  if (status === 101) return "it changes to another protocol"
  if (status < 200 || status === 204 || status === 304) return sized(0)
  const codings = (headers["transfer-encoding"] ?? "").toLowerCase()
  if (/(^|[\s,])chunked$/.test(codings)) return { isChunked: true, phase: "size", left: 0, read: 0 }
  const length = headers["content-length"]
  if (length === undefined || codings !== "") return sized(Infinity)
  const lengths = new Set(length.split(/\s*,\s*/))
  const [only = ""] = lengths
  return lengths.size === 1 && /^\d{1,15}$/.test(only) ? sized(Number(only)) : `its Content-Length is "${length}"`
}

/** Whether a body is whole that the connection ends behind; that of a last chunk may lack its last line. */
export const isWhole = ({ left, phase }: BodyState): boolean =>
  phase === "end" || phase === "trailer" || (phase === "data" && left === Infinity)

/**
 * One read of the body, which may begin and end anywhere. It is made free of its framing where it stands, so that a
 * read of three hundred chunks costs no more objects than one of a single chunk.
 */
export const push = (state: BodyState, bytes: Uint8Array): BodyStep => {
  const { isChunked } = state
  let { left, phase, read } = state
  let at = 0
  let from = 0
  let to = 0
  const stop = (wrong?: string): BodyStep => {
    const state = { isChunked, phase, left, read }
    return wrong === undefined ? { state, from, to, used: at } : { state, from, to, used: at, wrong }
  }
  while (at < bytes.length && phase !== "end") {
    if (phase === "data") {
      const length = Math.min(left, bytes.length - at)
      if (from === to) from = to = at
      else bytes.copyWithin(to, at, at + length)
      to += length
      at += length
      left -= length
      if (left === 0) phase = isChunked ? "data end" : "end"
      continue
    }
    const byte = bytes[at] ?? 0
    if (phase === "size" && digitOf(byte) < 0) {
      if (read === 0) return stop("a chunk has no size")
      if (!behindSize.has(byte)) return stop("the size of a chunk is no number")
      phase = "extension"
    }
    at += 1
    switch (phase) {
      case "size":
        // Zeros before the number are none of its digits.
        read = left === 0 ? 1 : read + 1
        left = left * 16 + digitOf(byte)
        if (read > maxDigits) return stop(`the size of a chunk has more than ${maxDigits} digits`)
        break
      case "extension":
        if (byte !== lineFeed) break
        phase = left === 0 ? "trailer" : "data"
        read = 0
        break
      case "data end":
        if (byte === lineFeed) phase = "size"
        else if (byte !== carriageReturn) return stop("a chunk is longer than its size")
        break
      case "trailer":
        if (byte === carriageReturn) break
        if (byte === lineFeed && read === 0) phase = "end"
        read = byte === lineFeed ? 0 : 1
    }
  }
  return stop()
}

const sized = (left: number): BodyState => ({ isChunked: false, phase: left === 0 ? "end" : "data", left, read: 0 })

const maxDigits = 12

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** The end of the line, and what an extension of the size begins with. */
const behindSize = new Set([carriageReturn, lineFeed, 0x3b, 0x20, 0x09])

/** The value of a hexadecimal digit, -1 where it is none. */
const digitOf = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
