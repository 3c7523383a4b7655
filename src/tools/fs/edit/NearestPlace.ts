import { cutText } from "../../../domain/CutText.ts"

/** The lines at which offsets lie, which are in order. */
export const lineNumbers = (text: string, positions: ReadonlyArray<number>): ReadonlyArray<number> => {
  let line = 1
  let from = 0
  return positions.map((position) => {
    for (let at = text.indexOf("\n", from); at !== -1 && at < position; at = text.indexOf("\n", at + 1)) {
      line += 1
      from = at + 1
    }
    return line
  })
}

/** Characters of a line that a hint shows. */
const maxShown = 160

/** A hint for text that does not occur: where its first line does, and which of the lines behind it is another one. */
export const hint = (text: string, oldText: string): string => {
  const wanted = oldText.split(/\r?\n/)
  const skipped = wanted.findIndex((line) => line.trim() !== "")
  const first = wanted[skipped]?.trim()
  if (first === undefined) return ""
  const at = text.indexOf(first)
  if (at === -1) return "; nor does its first line. Read the file again"
  const [line = 1] = lineNumbers(text, [at])
  const own = text.slice(text.lastIndexOf("\n", at) + 1).split(/\r?\n/, wanted.length - skipped)
  const index = own.findIndex((each, after) => each.trimEnd() !== wanted[skipped + after]?.trimEnd())
  if (index <= 0) return `, but its first line is like line ${line}. White space must be the same; read the file again`
  const [have, want] = [shown(own[index]), shown(wanted[skipped + index])]
  return `, but its first line is like line ${line}. Line ${line + index} is ${have}, and oldText has ${want}`
}

const shown = (line: string | undefined): string => JSON.stringify(cutText(line ?? "", maxShown))
