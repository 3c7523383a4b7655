/** One replacement. */
export interface TextEdit {
  readonly oldText: string
  readonly newText: string
  readonly replaceAll: boolean
}

export type Edited =
  | { readonly _tag: "Edited"; readonly text: string; readonly lines: ReadonlyArray<number> }
  | { readonly _tag: "Failed"; readonly why: string }

/** How many places an error names. */
const maxNamed = 20

/** The most occurrences that are counted. */
const maxPlaces = 100_000

/** Why an edit can succeed in no text; undefined if it can. */
export const whyNever = ({ newText, oldText }: TextEdit): string | undefined => {
  if (oldText === "") return "oldText is empty; to make or replace a file use fs_write"
  return oldText === newText ? "oldText and newText are the same" : undefined
}

/** Replaces the old text, which must occur, and only once unless `replaceAll` is set. */
export const applyEdit = (text: string, edit: TextEdit): Edited => {
  const never = whyNever(edit)
  if (never !== undefined) return failed(never)
  const { newText, oldText } = withLineEnds(text, edit)
  const places = occurrences(text, oldText, edit.replaceAll)
  if (places.length === 0) return failed(`oldText does not occur${hint(text, oldText)}`)
  if (places.length > maxPlaces) return failed(`oldText occurs more than ${maxPlaces} times`)
  const lines = lineNumbers(text, places)
  if (places.length > 1 && !edit.replaceAll) {
    const named = `${lines.slice(0, maxNamed).join(", ")}${lines.length > maxNamed ? ", …" : ""}`
    return failed(
      `oldText occurs ${places.length} times (lines ${named}); give more of the text around it, or set replaceAll`
    )
  }
  let result = ""
  let from = 0
  for (const at of places) {
    result += text.slice(from, at) + newText
    from = at + oldText.length
  }
  return { _tag: "Edited", text: result + text.slice(from), lines }
}

const failed = (why: string): Edited => ({ _tag: "Failed", why })

/** `fs.read` shows lines without CR, so text copied from a CRLF file lacks it. */
const withLineEnds = (text: string, edit: TextEdit): TextEdit => {
  const { newText, oldText } = edit
  if (text.includes(oldText) || !text.includes("\r\n") || oldText.includes("\r")) return edit
  return { ...edit, oldText: oldText.replaceAll("\n", "\r\n"), newText: newText.replaceAll(/\r?\n/g, "\r\n") }
}

/** The offsets of the old text. For a single replacement overlapping ones count too: they are ambiguous. */
const occurrences = (text: string, oldText: string, replaceAll: boolean): ReadonlyArray<number> => {
  const places: Array<number> = []
  let at = text.indexOf(oldText)
  while (at !== -1 && places.length <= maxPlaces) {
    places.push(at)
    at = text.indexOf(oldText, at + (replaceAll ? oldText.length : 1))
  }
  return places
}

const lineNumbers = (text: string, positions: ReadonlyArray<number>): ReadonlyArray<number> => {
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

/** A hint for text that does not occur: where its first line does, and so the lines after it differ. */
const hint = (text: string, oldText: string): string => {
  const first = oldText.split("\n").find((line) => line.trim() !== "")
  if (first === undefined) return ""
  const at = text.indexOf(first.trim())
  if (at === -1) return "; nor does its first line. Read the file again"
  const [line = 1] = lineNumbers(text, [at])
  return `, but its first line is like line ${line}. White space must be the same; read the file again`
}
