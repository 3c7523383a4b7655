import { Buffer } from "node:buffer"
import type { Stats } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attempt } from "../../files/FileErrors.ts"
import { binaryKind, sniffBytes } from "../../files/BinaryKind.ts"
import { LineWindow } from "../../files/LineWindow.ts"
import { withRegularFile } from "../../files/RegularFile.ts"
import { AtLeastOne } from "../../protocol/Checks.ts"
import * as Tool from "../Tool.ts"
import { noted, readNeed, type Workspace } from "../Workspace.ts"
import { refuse } from "../../files/Refused.ts"

const defaultLimit = 1000
const maxLimit = 10_000

/** Files up to this size, in bytes, are read to their end to count their lines. */
const countedBytes = 64 * 1024 * 1024

/** How many bytes at the end of a larger file are read for an offset from the end. */
const tailBytes = 8 * 1024 * 1024

const chunkBytes = 256 * 1024

/** Reads numbered lines of a text file (runtime, Tools). */
export const fsRead = (workspace: Workspace["Service"]) =>
  Tool.make({
    name: "fs.read",
    description: "Read a text file as numbered lines. offset: first line, from 1; negative counts from the end.",
    parameters: Schema.Struct({
      path: Schema.String.annotateKey({ documentation: "The text file" }),
      offset: Schema.optionalKey(Schema.Int).annotateKey({
        documentation: "The first line, counted from 1; a negative one counts from the end; 1 unless given"
      }),
      limit: Schema.optionalKey(AtLeastOne).annotateKey({
        documentation: `How many lines; ${defaultLimit} unless given, ${maxLimit} at most`
      })
    }),
    reads: true,
    plan: Effect.fnUntraced(function* ({ limit, offset = 1, path }, context) {
      const location = yield* workspace.reading(path, context)
      const run = attempt((signal) =>
        withRegularFile(location.real, (handle, stat) => read(handle, stat, location.path, offset, limit, signal))
      )
      return { ...readNeed(location, "read a file outside the working directory"), run: noted([location], run) }
    })
  })

const read = async (
  handle: FileHandle,
  { size }: Stats,
  path: string,
  offset: number,
  asked: number | undefined,
  signal: AbortSignal
): Promise<Tool.ToolOutput> => {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  const head = buffer.subarray(0, (await handle.read(buffer, 0, sniffBytes, 0)).bytesRead)
  const kind = binaryKind(head)
  if (kind !== undefined) throw refuse(`${path} is not text: ${kind}, ${size} bytes`)
  if (head.length === 0) return { text: `${path} is empty` }

  // Files of /proc have a size of 0.
  const end = size === 0 ? countedBytes : size
  const isCounted = end <= countedBytes
  const limit = Math.min(asked ?? defaultLimit, maxLimit)
  if (offset >= 0) {
    const window = new LineWindow(Math.max(1, offset), limit)
    const isWhole = await scan(handle, buffer, 0, end, signal, (bytes) => window.push(bytes) || isCounted)
    window.end()
    return show(window, { path, size, asked, total: isWhole ? window.lines : undefined, shift: 0 })
  }
  const from = isCounted ? 0 : end - tailBytes
  const counter = new LineWindow(Number.POSITIVE_INFINITY, 0)
  await scan(handle, buffer, from, end, signal, (bytes) => {
    counter.push(bytes)
    return true
  })
  counter.end()
  const window = new LineWindow(Math.max(1, counter.lines + offset + 1), limit)
  if (await scan(handle, buffer, from, end, signal, (bytes) => window.push(bytes))) window.end()
  return isCounted
    ? show(window, { path, size, asked, total: counter.lines, shift: 0 })
    : show(window, { path, size, asked, total: undefined, shift: -(counter.lines + 1) })
}

/** Reads until the file ends (true) or the window is full (false). */
const scan = async (
  handle: FileHandle,
  buffer: Buffer,
  from: number,
  end: number,
  signal: AbortSignal,
  push: (bytes: Buffer) => boolean
): Promise<boolean> => {
  let position = from
  while (position < end) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - position), position)
    if (bytesRead === 0) break
    if (!push(buffer.subarray(0, bytesRead))) return false
    position += bytesRead
  }
  return true
}

interface Shown {
  readonly path: string
  readonly size: number
  /** The limit of the call. */
  readonly asked: number | undefined
  /** Lines of the file; undefined if they were not counted. */
  readonly total: number | undefined
  /** Added to line numbers that are counted from the end. */
  readonly shift: number
}

const show = (window: LineWindow, { asked, path, shift, size, total }: Shown): Tool.ToolOutput => {
  const { first, isCut, taken } = window
  if (taken.length === 0)
    throw refuse(`${path}: there is no line ${first}${total === undefined ? "" : `, it has ${total}`}`)
  const last = first + taken.length - 1
  const isLast = total === undefined ? shift + last === -1 : last >= total
  const notes: Array<string> = []
  if (first > 1 || !isLast) {
    notes.push(`lines ${first + shift} to ${last + shift} of ${total ?? `a file of ${size} bytes`}`)
    if (!isLast)
      notes.push(`${total === undefined ? "more" : total - last} left, go on with offset ${last + 1 + shift}`)
  }
  if (isCut) notes.push("long lines are cut")
  if (window.hasCarriageReturns) notes.push("lines end with CRLF")
  if (window.hasUndecodable) notes.push("not UTF-8: what could not be decoded is shown as \uFFFD")
  if (isLast && !window.endsWithNewline) notes.push("no line break at the end")
  const lines = taken.map((line, index) => `${first + index + shift}\t${line}`)
  if (notes.length > 0) lines.push(`(${notes.join("; ")})`)
  return { text: lines.join("\n"), truncated: isCut || (!isLast && taken.length < (asked ?? Number.POSITIVE_INFINITY)) }
}
