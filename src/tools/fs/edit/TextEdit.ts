import { compared, placesOf, type Rung, rungs } from "./ComparedText.ts"
import { withoutAnyNumbers, withoutNumbers } from "./LineNumbers.ts"
import { differences } from "./Differences.ts"
import { occurrencesOf } from "./Occurrences.ts"
import { hint, lineNumbers } from "./NearestPlace.ts"
import { type Replacement, reindented } from "./ReindentedLines.ts"

/** One replacement. */
export interface TextEdit {
  readonly oldText: string
  readonly newText: string
  readonly replaceAll: boolean
}

export type Edited =
  | {
      readonly _tag: "Edited"
      readonly text: string
      /** The lines at which something was replaced. */
      readonly lines: ReadonlyArray<number>
      /** What the old text and the file differ in; absent if they are the same to the letter. */
      readonly apartFrom?: Rung | "indentation"
    }
  | { readonly _tag: "Failed"; readonly why: string }

export const emptyOldText = "oldText is empty; to make or replace a file use fs_write"

/** How many places an error names. */
const maxNamed = 20

/** The most occurrences that are counted. */
const maxPlaces = 100_000

/**
 * Replaces the old text, which must occur, and only once unless `replaceAll` is set. To the letter first; where it does not
 * occur so, what small models get wrong is left out of the comparison, a kind at a time, and each time exactly one place must
 * fit. White space as a whole is never ignored.
 */
export const applyEdit = (text: string, edit: TextEdit): Edited => {
  if (edit.oldText === "") return failed(emptyOldText)
  const exact = toTheLetter(text, edit)
  if (exact !== undefined) {
    return (hasLessIndent(text, edit) ? asLines(text, edit) : undefined) ?? exact
  }
  const copied = withoutNumbers(edit.oldText)
  if (copied !== undefined && copied !== "") {
    return applyEdit(text, { ...edit, oldText: copied, newText: withoutAnyNumbers(edit.newText) })
  }
  for (const rung of rungs) {
    const edited = apartFrom(text, edit, rung)
    if (edited !== undefined) return edited
    if (edit.replaceAll) break
    if (rung !== "look-alike characters") continue
    const made = asLines(text, edit)
    if (made !== undefined) return made
  }
  return failed(`oldText does not occur${hint(text, edit.oldText)}`)
}

const failed = (why: string): Edited => ({ _tag: "Failed", why })

/** The edit of whole lines that the file has with other indentation; undefined if it does not have them. */
const asLines = (text: string, { newText, oldText }: TextEdit): Edited | undefined => {
  const made = reindented(text, oldText, newText)
  if (typeof made === "object") return withReplacements(text, [made], "indentation")
  return made < 2
    ? undefined
    : failed(`oldText occurs ${made} times apart from indentation; give more of the text around it`)
}

/** True if a text of lines begins within the indentation of a line of the file: all its lines lack the same blanks. */
const hasLessIndent = (text: string, { newText, oldText, replaceAll }: TextEdit): boolean => {
  const at = text.indexOf(oldText)
  return (
    !replaceAll &&
    newText.includes("\n") &&
    /^[ \t]/.test(oldText) &&
    /(^|\n)[ \t]+$/.test(text.slice(0, at).slice(-200))
  )
}

const toTheLetter = (text: string, { newText, oldText, replaceAll }: TextEdit): Edited | undefined => {
  // For a single replacement overlapping ones count too: they are ambiguous.
  const places = occurrencesOf(text, oldText, maxPlaces, !replaceAll)
  if (places.length === 0) return undefined
  const many = tooMany(text, places, replaceAll)
  if (many !== undefined) return many
  const replacements = places.map((from) => ({ from, to: from + oldText.length, text: newText }))
  // Line ends that are given are meant.
  return withReplacements(text, replacements, undefined, /\r/.test(oldText + newText))
}

/** The edit where the texts are compared apart from what `rung` names. */
const apartFrom = (text: string, { newText, oldText, replaceAll }: TextEdit, rung: Rung): Edited | undefined => {
  const [whole, before, after] = [compared(text, rung), compared(oldText, rung), compared(newText, rung)]
  const all = placesOf(whole, before, maxPlaces)
  const places = replaceAll ? all.filter(isApart(before.text.length)) : all
  if (places.length === 0) return undefined
  const sources = places.map((at) => whole.starts[at] ?? 0)
  const many = tooMany(text, sources, replaceAll, rung)
  if (many !== undefined) return many
  const parts = differences(before.text, after.text)
  if (parts.length === 0) return undefined
  const replacements = places.flatMap((at) =>
    parts.map(({ from, fromNew, to, toNew }): Replacement => {
      const [first, last] = [at + from, at + to]
      const begin = first > 0 && from === to ? (whole.ends[first - 1] ?? 0) : (whole.starts[first] ?? text.length)
      return {
        from: begin,
        to: from < to ? (whole.ends[last - 1] ?? begin) : begin,
        text: fromNew < toNew ? newText.slice(after.starts[fromNew], after.ends[toNew - 1]) : ""
      }
    })
  )
  return withReplacements(text, replacements, rung)
}

/** Places of which none begins within the one before it. */
const isApart = (length: number) => {
  let behind = 0
  return (at: number) => {
    if (at < behind) return false
    behind = at + length
    return true
  }
}

const tooMany = (text: string, places: ReadonlyArray<number>, all: boolean, rung?: Rung): Edited | undefined => {
  if (places.length > maxPlaces) return failed(`oldText occurs more than ${maxPlaces} times`)
  if (places.length === 1 || all) return undefined
  const lines = lineNumbers(text, places)
  const named = `${lines.slice(0, maxNamed).join(", ")}${lines.length > maxNamed ? ", …" : ""}`
  const how = rung === undefined ? "" : ` apart from ${rung}`
  return failed(
    `oldText occurs ${places.length} times${how} (lines ${named}); give more of the text around it, or set replaceAll`
  )
}

/** The text with replacements, which stand in order; their line breaks become those of the file where they stand. */
const withReplacements = (
  text: string,
  replacements: ReadonlyArray<Replacement>,
  apart: Rung | "indentation" | undefined,
  asGiven = false
): Edited => {
  let result = ""
  let from = 0
  for (const each of replacements) {
    result += text.slice(from, each.from) + (asGiven ? each.text : withLineEnds(each.text, lineEndAt(text, each.from)))
    from = each.to
  }
  return {
    _tag: "Edited",
    text: result + text.slice(from),
    lines: lineNumbers(
      text,
      replacements.map((each) => each.from)
    ),
    ...(apart === undefined ? {} : { apartFrom: apart })
  }
}

const withLineEnds = (text: string, lineEnd: string): string =>
  lineEnd === "\n" && !text.includes("\r") ? text : text.replaceAll(/\r?\n/g, lineEnd)

/** The line end of the line at `at`; that of the one before it for a last line without one. */
const lineEndAt = (text: string, at: number): string => {
  const next = text.indexOf("\n", at)
  const end = next === -1 ? text.lastIndexOf("\n") : next
  return end > 0 && text[end - 1] === "\r" ? "\r\n" : "\n"
}
