/** The blanks at the beginning of a line. */
export const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ""

/** A line without the blanks at its beginning. */
export const bareLine = (line: string): string => line.slice(indentOf(line).length)

/** Turns the indentation of a line of the new text into the file's; undefined: it cannot be known. */
export type Shift = (indent: string) => string | undefined

/** The indentation of a line as it was given, and as it is in the file. */
export type IndentPair = readonly [given: string, own: string]

/** Spaces that may stand for one tab. */
const tabWidths = [2, 3, 4, 8]

/**
 * How a text that was given with other indentation than the file's is put into the file: all lines further in or out by the
 * same blanks, tabs for spaces or the other way round, or steps of twice or half the width. Undefined unless all ways that
 * explain the lines say the same of `indents`, those of the new text.
 */
export const shifted = (
  pairs: ReadonlyArray<IndentPair>,
  indents: ReadonlyArray<string>
): ReadonlyArray<string> | undefined => {
  const results = new Map<string, ReadonlyArray<string>>()
  for (const shift of shiftsOf(pairs)) {
    const result = indents.map(shift)
    if (result.every((each) => each !== undefined)) results.set(result.join("\n"), result)
  }
  const [only, ...others] = results.values()
  return others.length === 0 ? only : undefined
}

const shiftsOf = (pairs: ReadonlyArray<IndentPair>): ReadonlyArray<Shift> => {
  const [[given, own] = ["", ""]] = pairs
  const [further, less] = [own.slice(0, own.length - given.length), given.slice(0, given.length - own.length)]
  const candidates: ReadonlyArray<Shift> = [
    (indent) => further + indent,
    (indent) => (indent.startsWith(less) ? indent.slice(less.length) : undefined),
    ...tabWidths.flatMap((width) => [
      toTabs(width, own.length - given.length / width),
      toSpaces(width, own.length / width - given.length)
    ]),
    ...(new Set(pairs.map(([each]) => each)).size > 1
      ? [2, 0.5].map((factor) => scaled(factor, own.length - given.length * factor))
      : [])
  ]
  return candidates.filter((shift) => pairs.every(([from, to]) => shift(from) === to))
}

const toTabs =
  (width: number, more: number): Shift =>
  (indent) => {
    const steps = indent.length / width + more
    return /^ *$/.test(indent) && Number.isInteger(steps) && steps >= 0 ? "\t".repeat(steps) : undefined
  }

const toSpaces =
  (width: number, more: number): Shift =>
  (indent) => {
    const steps = indent.length + more
    return /^\t*$/.test(indent) && Number.isInteger(steps) && steps >= 0 ? " ".repeat(steps * width) : undefined
  }

const scaled =
  (factor: number, more: number): Shift =>
  (indent) => {
    const length = indent.length * factor + more
    return /^ *$/.test(indent) && Number.isInteger(length) && length >= 0 ? " ".repeat(length) : undefined
  }
