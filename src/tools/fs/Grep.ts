import { Buffer } from "node:buffer"
import type { FileHandle } from "node:fs/promises"
import * as NodePath from "node:path"
import { binaryKind, sniffBytes } from "../../files/BinaryKind.ts"
import { pathMatcher } from "./FsGlob.ts"
import { GrepReport, type GrepRequest, maxFileBytes } from "./GrepReport.ts"
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
  let tooLarge = 0
  let hasPrivate = false

  const searchFile = async (path: string) =>
    withRegularFile(NodePath.join(request.root, path), async (handle, stats) => {
      if (request.file === undefined && request.privateFiles.includes(NodePath.join(request.root, path), stats)) {
        hasPrivate = true
      } else if (stats.size > maxFileBytes) tooLarge += 1
      else await search(handle, path, request, report, matches, buffer, signal)
    })

  if (request.file !== undefined) {
    await searchFile(request.file)
    if (tooLarge > 0) throw refuse(`${request.file} is larger than ${maxFileBytes} bytes`)
    return report
  }
  const walk = new TreeWalk(request.root, request.top, signal)
  const isWanted = request.glob === undefined ? () => true : pathMatcher(request.glob)
  for await (const { isFile, path } of walk.files()) {
    if (!isFile || !isWanted(path)) continue
    await searchFile(path).catch((error: unknown) => {
      // A file that cannot be read is skipped; a pattern that cannot be used fails the call.
      if (!isSystemError(error) && !(error instanceof Refused && !error.detail.startsWith("the pattern"))) throw error
    })
    if (report.isFull) break
  }
  if (tooLarge > 0) report.notes.push(`${tooLarge} files larger than ${maxFileBytes} bytes were passed over`)
  if (hasPrivate) report.notes.push("the agent's own settings and /proc were passed over; name such a file in path")
  if (walk.isCut) report.notes.push(`stopped after ${maxEntries} entries`)
  return report
}

const search = async (
  handle: FileHandle,
  path: string,
  { context }: GrepRequest,
  report: GrepReport,
  matches: (lines: ReadonlyArray<string>) => ReadonlyArray<boolean>,
  buffer: Buffer,
  signal: AbortSignal
): Promise<void> => {
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
    if (position === 0 && binaryKind(bytes.subarray(0, sniffBytes)) !== undefined) return
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
    if (bytesRead === 0) return
  }
}
