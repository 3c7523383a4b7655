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
  const out: Array<Framed> = []
  let unfinished = state
  let start = 0
  for (let stop = bytes.indexOf(LF); stop !== -1; stop = bytes.indexOf(LF, start)) {
    out.push(...finish(keep(unfinished, bytes.subarray(start, stop))))
    unfinished = { ...initial(state.maxLineBytes), atStart: false }
    start = stop + 1
  }
  return [start === bytes.length ? unfinished : keep(unfinished, bytes.subarray(start)), out]
}

/** The last line, if the input ended without an LF. */
export const end = (state: State): ReadonlyArray<Framed> => (state.length === 0 ? [] : finish(state))

const keep = (state: State, bytes: Uint8Array): State => {
  const length = state.length + bytes.length
  if (length <= state.maxLineBytes) return { ...state, parts: [...state.parts, bytes], length }
  const headIsFull = state.length > state.maxLineBytes && state.length >= headBytes
  return { ...state, parts: headIsFull ? state.parts : [headOf([...state.parts, bytes], length)], length }
}

/** The head of `length` bytes is copied, so that the reads can be freed. */
const headOf = (parts: ReadonlyArray<Uint8Array>, length: number): Uint8Array =>
  Buffer.concat(parts, Math.min(headBytes, length))

const finish = (state: State): ReadonlyArray<Framed> => {
  if (state.length > state.maxLineBytes) {
    return [{ _tag: "TooLong", head: headText(headOf(state.parts, state.length), headBytes), length: state.length }]
  }
  const bytes = state.parts.length === 1 ? asBuffer(state.parts[0]!) : Buffer.concat(state.parts, state.length)
  const framed = decode(bytes)
  if (framed._tag !== "Line") return [framed]
  return lineUnlessBlank(state.atStart && framed.text.startsWith(BOM) ? framed.text.slice(1) : framed.text)
}

const decode = (bytes: Buffer): Framed => {
  if (!isUtf8(bytes)) return { _tag: "NotUtf8", head: headText(bytes, headBytes), length: bytes.length }
  const stop = bytes.at(-1) === CR ? bytes.length - 1 : bytes.length
  return { _tag: "Line", text: bytes.toString("utf8", 0, stop) }
}

const lineUnlessBlank = (text: string): ReadonlyArray<Framed> => (text.trim() === "" ? [] : [{ _tag: "Line", text }])

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
