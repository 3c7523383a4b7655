import { Buffer, isUtf8 } from "node:buffer"
import { headText } from "../domain/HeadText.ts"

/** One line without its LF, or why it cannot be decoded; `length` in bytes, without the LF. */
export type Framed =
  | { readonly _tag: "Line"; readonly text: string }
  | { readonly _tag: "NotUtf8"; readonly head: string; readonly length: number }
  | { readonly _tag: "TooLong"; readonly head: string; readonly length: number }

/** The unfinished line at the end of the reads so far. Of one that is too long only the head is kept. */
export interface State {
  readonly maxLineBytes: number
  readonly parts: ReadonlyArray<Uint8Array>
  /** Bytes of the line, kept or skipped. */
  readonly length: number
  /** It is the first line, which may begin with a byte order mark. */
  readonly atStart: boolean
}

/** The part of a bad line that is reported, in bytes (contract 2). */
export const headBytes = 8 * 1024

const LF = 0x0a
const CR = 0x0d
const BOM = "\uFEFF"

export const initial = (maxLineBytes: number): State => ({ maxLineBytes, parts: [], length: 0, atStart: true })

/** Adds one read of any size and returns the lines that it finishes. Keeps at most `maxLineBytes` besides that read. */
export const push = (state: State, bytes: Uint8Array): readonly [State, ReadonlyArray<Framed>] => {
  const first = bytes.indexOf(LF)
  if (first === -1) return [keep(state, bytes), []]
  const last = bytes.lastIndexOf(LF)
  const out: Array<Framed> = []
  if (state.length === 0 && !state.atStart) {
    splitInto(out, bytes.subarray(0, last), state.maxLineBytes)
  } else {
    out.push(...finish(keep(state, bytes.subarray(0, first))))
    if (last > first) splitInto(out, bytes.subarray(first + 1, last), state.maxLineBytes)
  }
  const fresh = { ...initial(state.maxLineBytes), atStart: false }
  return [last + 1 === bytes.length ? fresh : keep(fresh, bytes.subarray(last + 1)), out]
}

/** The last line, if the input ended without an LF. */
export const end = (state: State): ReadonlyArray<Framed> => (state.length === 0 ? [] : finish(state))

const keep = (state: State, bytes: Uint8Array): State => {
  const length = state.length + bytes.length
  if (length <= state.maxLineBytes) return { ...state, parts: [...state.parts, bytes], length }
  const headIsFull = state.length > state.maxLineBytes && state.length >= headBytes
  return { ...state, parts: headIsFull ? state.parts : [headOf([...state.parts, bytes])], length }
}

/** The head is copied, so that the reads can be freed. */
const headOf = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const head = Buffer.alloc(headBytes)
  let filled = 0
  for (const part of parts) {
    if (filled === headBytes) break
    const piece = part.subarray(0, headBytes - filled)
    head.set(piece, filled)
    filled += piece.length
  }
  return head.subarray(0, filled)
}

const finish = (state: State): ReadonlyArray<Framed> => {
  if (state.length > state.maxLineBytes) {
    return [{ _tag: "TooLong", head: headText(headOf(state.parts), headBytes), length: state.length }]
  }
  const bytes = state.parts.length === 1 ? asBuffer(state.parts[0]!) : Buffer.concat(state.parts, state.length)
  const framed = decode(bytes)
  if (framed._tag !== "Line") return [framed]
  return lineUnlessBlank(state.atStart && framed.text.startsWith(BOM) ? framed.text.slice(1) : framed.text)
}

/** Splits whole lines. If all of them are valid, they are decoded at once. */
const splitInto = (out: Array<Framed>, bytes: Uint8Array, maxLineBytes: number): void => {
  if (bytes.length <= maxLineBytes && isUtf8(bytes)) {
    for (const line of asBuffer(bytes).toString("utf8").split("\n")) out.push(...lineUnlessBlank(withoutCr(line)))
    return
  }
  let start = 0
  while (start <= bytes.length) {
    const newline = bytes.indexOf(LF, start)
    const stop = newline === -1 ? bytes.length : newline
    out.push(...finish(keep({ ...initial(maxLineBytes), atStart: false }, bytes.subarray(start, stop))))
    start = stop + 1
  }
}

const decode = (bytes: Buffer): Framed => {
  if (!isUtf8(bytes)) return { _tag: "NotUtf8", head: headText(bytes, headBytes), length: bytes.length }
  const stop = bytes.at(-1) === CR ? bytes.length - 1 : bytes.length
  return { _tag: "Line", text: bytes.toString("utf8", 0, stop) }
}

const withoutCr = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line)

const lineUnlessBlank = (text: string): ReadonlyArray<Framed> => (text.trim() === "" ? [] : [{ _tag: "Line", text }])

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
