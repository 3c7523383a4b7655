import { Buffer } from "node:buffer"
import { visibleLine, visibleText } from "../domain/VisibleText.ts"

/** The most bytes that are shown of a preview and of a reason (contract 7). */
const previewBytes = 4096
const reasonBytes = 1024

/**
 * What of a preview is shown: its beginning and its end, whatever is between them, so that nothing can push a part out of sight
 * that way. Longer runs of blanks or empty lines are folded; of a text that is still too long, first long words and then the
 * whole lose their middle. In place of each is a mark in `⟦ ⟧`, and such a mark in front says how much is missing. These
 * brackets are escaped where the text itself has them: no text can imitate a mark.
 */
export const shownPreview = (text: string): string => shown(text, previewBytes, visibleText, "\n")

/** What of a reason is shown, on one line; as `shownPreview`. */
export const shownReason = (text: string): string => shown(text, reasonBytes, visibleLine, " ")

/** How many of the paths and URLs that a call affects are shown, each as a preview but on one line. */
const maxResources = 100

/** What of the affected resources is shown: the first of them, each as `shownPreview`, and how many more there are. */
export const shownResources = (all: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = all.slice(0, maxResources).map((each) => shown(each, previewBytes, visibleLine, " "))
  return all.length <= maxResources ? first : [...first, `⟦not shown: ${all.length - maxResources} more⟧`]
}

/** Longer texts, in bytes, lose their middle before anything else: the rest takes time that grows with the length. */
const maxExamined = 256 * 1024

/** Reserved for the mark in front, and for one in the middle, in bytes. */
const markBytes = 96

const shown = (given: string, limit: number, visible: (text: string) => string, gap: string): string => {
  const whole = given.replaceAll("⟦", "\\u27e6").replaceAll("⟧", "\\u27e7")
  let hidden = 0
  let blanks = 0
  const hide = (part: string, what: string) => {
    hidden += Buffer.byteLength(part.replaceAll(mark, ""))
    return `⟦${what}⟧`
  }
  const fits = (text: string, bytes: number, view = visible) =>
    text.length <= bytes && Buffer.byteLength(view(text)) <= bytes
  const cut = (text: string, bytes: number, view = visible) => {
    if (fits(text, bytes, view)) return text
    const { head, middle, tail } = split(text, (bytes - markBytes) / 2, view)
    const length = Buffer.byteLength(middle.replaceAll(mark, ""))
    return head + hide(middle, `${length} bytes`) + (middle.endsWith("\n") ? "\n" : "") + tail
  }
  let text = cut(whole, maxExamined, (unit) => unit)
    .replaceAll(emptyLines(), (lines, sign: string) => {
      const count = lines.split("\n").length - 1
      blanks += lines.length - count * sign.length
      return `${sign}${hide(lines.slice(sign.length), `${count} empty lines`)}\n`
    })
    .replaceAll(longRun(), (run) => {
      const count = Array.from(run).length
      blanks += count
      return hide(run, `${count} ${kindOf(run)}`)
    })
  if (hidden === 0 && fits(text, limit)) return visible(text)
  const room = limit - markBytes
  for (const long of longWords) {
    if (fits(text, room)) break
    text = text.replaceAll(long, (_, head: string, middle: string, tail: string) => {
      return head + hide(middle, `${Buffer.byteLength(middle)} bytes`) + tail
    })
  }
  text = cut(text, room)
  const among = blanks === 0 ? "" : `, ${blanks} blanks among them`
  return `⟦not shown: ${hidden} of ${Buffer.byteLength(whole)} bytes${among}⟧${gap}${visible(text)}`
}

/** A mark; in escapes, since the bundle is plain ASCII. */
const mark = /\u27e6[^\u27e7]*\u27e7/g

/** The beginning and the end of a text that is longer than twice the bytes of each; between lines if any end there. */
const split = (text: string, bytes: number, visible: (text: string) => string) => {
  const unit = /\u27e6[^\u27e7]*\u27e7|\r\n|./gsu
  const beginning = text.slice(0, bytes * 2).match(unit) ?? []
  const ending = (text.slice(-bytes * 2).match(unit) ?? []).toReversed()
  const [head, tail] = [beginning, ending].map((units) => {
    let length = 0
    const end = units.findIndex((each) => (length += Buffer.byteLength(visible(each))) > bytes)
    return units.slice(0, end)
  }) as [Array<string>, Array<string>]
  const first = atLineEnd(head.join(""))
  const last = atLineStart(tail.toReversed().join(""))
  return { head: first, middle: text.slice(first.length, text.length - last.length), tail: last }
}

const atLineEnd = (text: string): string => {
  const end = text.lastIndexOf("\n") + 1
  return end > text.length * 0.75 ? text.slice(0, end) : text
}

const atLineStart = (text: string): string => {
  const start = text.indexOf("\n") + 1
  return start < text.length * 0.25 ? text.slice(start) : text
}

const kindOf = (run: string): string => (/^ +$/.test(run) ? "spaces" : /^\t+$/.test(run) ? "tabs" : "blanks")

/** Characters that show nothing, or nothing but an escape. */
const blank = String.raw`[[\s\p{Z}\p{Cc}\p{DI}\u2800\ufff9-\ufffb]--\n]`

/** More than 40: fewer indent a line. */
const longRun = () => (compiledRun ??= new RegExp(`(?<!${blank})${blank}{41,}`, "gv"))

/** More than three lines without text, also of a diff, in which each begins with the same sign. */
const emptyLines = () =>
  (compiledLines ??= new RegExp(String.raw`(?<=^|\n)([+\-]?)${blank}*\n(?:\1${blank}*\n){3,}`, "gv"))

/** Compiled on first use, since that takes milliseconds. */
let compiledRun: RegExp | undefined
let compiledLines: RegExp | undefined

/** Beginning, middle and end of words that are cut where a text is too long. */
const longWords = [512, 128].map(
  (kept) => new RegExp(String.raw`(?<!\S)(\S{${kept}})(\S{${kept},})(\S{${kept}})(?!\S)`, "gu")
)
