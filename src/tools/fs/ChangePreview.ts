import { type Buffer, isUtf8 } from "node:buffer"
import * as TextDiff from "effect/TextDiff"
import { binaryKind, sniffBytes } from "../../files/BinaryKind.ts"
import { shownName } from "../../domain/ShownName.ts"

/** Longer texts, in characters, are not compared line by line. */
const comparedCharacters = 512 * 1024

/** A region that differs in more lines is shown as removed and added. */
const maxEdits = 500

/** A unified diff of a write; `before` is undefined for a new file. */
export const changePreview = (path: string, before: Buffer | undefined | "unknown", after: Buffer): string => {
  const name = shownName(path)
  const from = before === undefined ? "/dev/null" : name
  const text = after.toString("utf8")
  const whole = (what: string) =>
    `--- ${from}\n+++ ${name}\n(${what}${text === "" ? " by an empty file" : ""})\n${text}`
  if (before === "unknown") return whole("replaces the whole of a large file")
  if (before === undefined && text === "") return `--- ${from}\n+++ ${name}\n(an empty file)\n`
  if (before?.equals(after) === true) return `--- ${from}\n+++ ${name}\n(no change)\n`
  if (before !== undefined) {
    const kind = binaryKind(before.subarray(0, sniffBytes))
    if (kind !== undefined) return whole(`replaces ${kind} of ${before.length} bytes`)
    if (!isUtf8(before)) return whole(`replaces ${before.length} bytes that are not UTF-8`)
  }
  const old = before?.toString("utf8") ?? ""
  if (old.length + text.length > comparedCharacters) {
    return whole(text === "" ? "replaces a large file" : "too large to compare; the new text follows")
  }
  return TextDiff.unified(TextDiff.lines(old, text, { maxEdits }), { fromFile: from, toFile: name })
}
