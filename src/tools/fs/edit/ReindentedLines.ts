import { compared, type ComparedText } from "./ComparedText.ts"
import { bareLine, indentOf, shifted } from "./Indentation.ts"

/** A part of a text, and what takes its place. */
export interface Replacement {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * The replacement of whole lines that are in the text once, with other indentation: the new lines are indented like those
 * that they replace. A number says how often the lines are there, if not once.
 */
export const reindented = (text: string, oldText: string, newText: string): Replacement | number => {
  const whole = compared(text, "look-alike characters")
  const lines = whole.text.split("\n")
  const given = compared(oldText.replace(/\r?\n$/, ""), "look-alike characters").text.split("\n")
  const bare = given.map(bareLine)
  const anchor = bare.findIndex((line) => line !== "")
  if (anchor === -1) return 0
  const trimmed = lines.map(bareLine)
  const places: Array<number> = []
  for (let at = trimmed.indexOf(bare[anchor] ?? ""); at !== -1; at = trimmed.indexOf(bare[anchor] ?? "", at + 1)) {
    const first = at - anchor
    if (first >= 0 && bare.every((line, index) => trimmed[first + index] === line)) places.push(first)
  }
  const [first] = places
  if (first === undefined || places.length > 1) return places.length
  const pairs = given.flatMap((line, index) =>
    bare[index] === "" ? [] : [[indentOf(line), indentOf(lines[first + index] ?? "")] as const]
  )
  const wanted = newText === "" && oldText.endsWith("\n") ? [] : linesOf(newText)
  const indents = shifted(pairs, wanted.filter((line) => bareLine(line) !== "").map(indentOf))
  if (indents === undefined) return 0
  // Lines that stay are left as they are in the file.
  const had = linesOf(oldText)
  const most = Math.min(had.length, wanted.length)
  let same = 0
  while (same < most && had[same] === wanted[same]) same++
  let sameEnd = 0
  while (sameEnd < most - same && had.at(-1 - sameEnd) === wanted.at(-1 - sameEnd)) sameEnd++
  let next = 0
  const made = wanted.map((line) => (bareLine(line) === "" ? "" : (indents[next++] ?? "") + bareLine(line)))
  const changed = made.slice(same, made.length - sameEnd)
  const [from, to] = [first + same, first + had.length - sameEnd]
  const starts = startsOf(whole)
  const [begin, end] = [starts[from] ?? text.length, starts[to] ?? text.length]
  const joined = changed.map((line) => `${line}\n`).join("")
  if (to < lines.length || changed.length === 0) return { from: begin, to: end, text: joined }
  // The last line has no line break.
  return { from: begin, to: end, text: from < lines.length ? joined.slice(0, -1) : `\n${joined.slice(0, -1)}` }
}

/** The lines of a text; a line break at its end begins none. */
const linesOf = (text: string): ReadonlyArray<string> => text.replace(/\r?\n$/, "").split(/\r?\n/)

/** Where each line begins in the source. */
const startsOf = ({ ends, text }: ComparedText): ReadonlyArray<number> => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(ends[at] ?? 0)
  return starts
}
