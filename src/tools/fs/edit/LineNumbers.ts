/** `fs.read` shows each line behind its number and a tab. */
const numbered = /^ *(\d+)\t/

/** A text that was copied with the numbers of its lines, without them; undefined unless every line has its own. */
export const withoutNumbers = (text: string): string | undefined => {
  const lines = linesOf(text)
  const first = Number(numbered.exec(lines[0] ?? "")?.[1])
  const isNumbered = lines.every((line, index) => Number(numbered.exec(line)?.[1]) === first + index)
  return isNumbered ? stripped(text) : undefined
}

/** The text that takes its place, without numbers if each of its lines has one: where lines were added they may repeat. */
export const withoutAnyNumbers = (text: string): string =>
  linesOf(text).every((line) => numbered.test(line)) ? stripped(text) : text

const linesOf = (text: string): ReadonlyArray<string> => text.replace(/\n$/, "").split("\n")

const stripped = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(numbered, ""))
    .join("\n")
