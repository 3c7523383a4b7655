import type { Buffer } from "node:buffer"
import * as TextDiff from "effect/TextDiff"
import { binaryKind, sniffBytes } from "../../files/BinaryKind.ts"
import { shownName } from "../../domain/ShownName.ts"

/** Longer texts, in characters, are not compared line by line. */
const comparedCharacters = 512 * 1024

/** A region that differs in more lines is shown as removed and added. */
const maxEdits = 500

/** A unified diff of a write; `before` is undefined for a new file. */
export const changePreview = (path: string, before: Buffer | undefined | "unknown", after: string): string => {
  const name = shownName(path)
  const from = before === undefined ? "/dev/null" : name
  const whole = (what: string) => `--- ${from}\n+++ ${name}\n(${what})\n${after}`
  if (before === "unknown") return whole("replaces the whole of a large file")
  if (before !== undefined) {
    const kind = binaryKind(before.subarray(0, sniffBytes))
    if (kind !== undefined) return whole(`replaces ${kind} of ${before.length} bytes`)
  }
  const old = before?.toString("utf8") ?? ""
  if (old.length + after.length > comparedCharacters) return whole("too large to compare; the new text follows")
  if (old === after) return `--- ${from}\n+++ ${name}\n(no change)\n`
  return TextDiff.unified(TextDiff.lines(old, after, { maxEdits }), { fromFile: from, toFile: name })
}
