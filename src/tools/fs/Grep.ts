import { Buffer } from "node:buffer"
import type { FileHandle } from "node:fs/promises"
import * as NodePath from "node:path"
import { binaryKind, sniffBytes, utf16Kind } from "../../files/BinaryKind.ts"
import { pathMatcher } from "./FsGlob.ts"
import { binary, GrepReport, type GrepRequest, maxFileBytes } from "./GrepReport.ts"
import { unreadable } from "./LeftOut.ts"
import { lineMatcher } from "./LineMatcher.ts"
import { withRegularFile } from "../../files/RegularFile.ts"
import { maxEntries, TreeWalk } from "../../files/TreeWalk.ts"
import { Refused, refuse } from "../../files/Refused.ts"
import { isSystemError } from "../../domain/SystemError.ts"

const chunkBytes = 256 * 1024

/** Longer lines, in characters, are searched in pieces. */
const maxLine = 1024 * 1024

/** Searches files for lines that match a JavaScript regular expression, which may begin with `(?i)`. */
export const grep = async (request: GrepRequest, signal: AbortSignal): Promise<GrepReport> => {
  const report = new GrepReport(request)
  const matches = lineMatcher(request.pattern, request.ignoreCase ?? false)
  const buffer = Buffer.allocUnsafe(chunkBytes)
  let hasPrivate = false

  /** Searches a file; says why if it is left out. */
  const searchFile = (path: string): Promise<LeftOutFile | undefined> =>
    withRegularFile(NodePath.join(request.root, path), async (handle, stats) => {
      if (request.file === undefined && request.privateFiles.includes(NodePath.join(request.root, path), stats)) {
        hasPrivate = true
        return undefined
      }
      const tooLarge = `larger than ${maxFileBytes} bytes`
      if (stats.size > maxFileBytes) return { is: tooLarge, why: tooLarge }
      const kind = await search(handle, path, request, report, matches, buffer, signal)
      if (kind === undefined) return undefined
      return { is: `not text: ${kind}, ${stats.size} bytes`, why: kind === utf16Kind ? kind : binary }
    })

  if (request.file !== undefined) {
    const leftOut = await searchFile(request.file)
    if (leftOut !== undefined) throw refuse(`${NodePath.join(request.shown, request.file)} is ${leftOut.is}`)
    return report
  }
  const walk = new TreeWalk(request.root, request.top, signal)
  const isWanted = request.glob === undefined ? () => true : pathMatcher(request.glob)
  for await (const { isFile, path } of walk.files()) {
    if (!isFile || !isWanted(path)) continue
    try {
      const leftOut = await searchFile(path)
      if (leftOut !== undefined) report.leaveOut(path, leftOut.why)
    } catch (error) {
      // A pattern that cannot be used fails the call.
      const isPattern = error instanceof Refused && error.detail.startsWith("the pattern")
      if (isPattern || !(error instanceof Refused || isSystemError(error))) throw error
      report.leaveOut(path, unreadable(error))
    }
    if (report.isFull) break
  }
  for (const { error, path } of walk.unreadable) report.leaveOut(`${path}/`, unreadable(error))
  if (hasPrivate) report.notes.push("the agent's own settings and /proc were passed over; name such a file in path")
  if (walk.isCut) report.notes.push(`stopped after ${maxEntries} entries`)
  return report
}

/** A file that is left out. */
interface LeftOutFile {
  /** Behind its name, for an error. */
  readonly is: string
  /** For the note of a search in a folder. */
  readonly why: string
}

/** Searches an open file; returns its kind if it is no text. */
const search = async (
  handle: FileHandle,
  path: string,
  { context }: GrepRequest,
  report: GrepReport,
  matches: (lines: ReadonlyArray<string>) => ReadonlyArray<boolean>,
  buffer: Buffer,
  signal: AbortSignal
): Promise<string | undefined> => {
  const decoder = new TextDecoder()
  let before: Array<string> = []
  let after = 0
  let number = 0
  let rest = ""
  let isLineOpen = false

  const isDone = () => report.isFull && after === 0
  const take = (lines: ReadonlyArray<string>) => {
    const flags = matches(lines)
    for (const [index, line] of lines.entries()) {
      if (isDone()) return
      if (index > 0 || !isLineOpen) number += 1
      const isMatch = flags[index] === true && !report.isFull
      if (isMatch) {
        for (const [at, each] of before.entries()) report.add(path, number - before.length + at, each, false)
        before = []
        after = context
      } else if (after > 0) after -= 1
      else if (context > 0) {
        before.push(line)
        if (before.length > context) before.shift()
        continue
      }
      if (isMatch || context > 0) report.add(path, number, line, isMatch)
    }
  }

  for (let position = 0; position < maxFileBytes && !isDone();) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    const bytes = buffer.subarray(0, bytesRead)
    const kind = position === 0 ? binaryKind(bytes.subarray(0, sniffBytes)) : undefined
    if (kind !== undefined) return kind
    position += bytesRead
    const lines = (rest + decoder.decode(bytes, { stream: bytesRead > 0 })).split("\n")
    rest = lines.pop() ?? ""
    const isPiece = rest.length > maxLine
    if (isPiece || (bytesRead === 0 && rest !== "")) {
      lines.push(rest)
      rest = ""
    }
    if (lines.length > 0) {
      take(lines)
      isLineOpen = isPiece
    }
    if (bytesRead === 0) break
  }
  return undefined
}
