/** A piece of what should be JSON: a bracket or colon, a key or value; commas are left out, since they say nothing. */
export type Piece =
  | { readonly _tag: "Mark"; readonly mark: string }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Word"; readonly word: string }

/** The pieces of a text, or why it cannot be cut into them without guessing. */
export type Pieces = { readonly pieces: ReadonlyArray<Piece> } | { readonly why: string }

const piece =
  /\s+|,|(?<mark>[{}[\]:])|(?<text>"[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*')|(?<word>[\p{L}\p{N}_$.+-]+)/uy

/** Cuts a text into its pieces. Strings are in single or double quotes and may hold line breaks; escapes are those of JSON. */
export const read = (text: string): Pieces => {
  const pieces: Array<Piece> = []
  for (let at = 0; at < text.length; at = piece.lastIndex) {
    piece.lastIndex = at
    const found = piece.exec(text)?.groups
    if (found === undefined) {
      const isQuote = text[at] === '"' || text[at] === "'"
      return { why: isQuote ? "a string is not closed" : `${JSON.stringify(text[at])} stands where it cannot` }
    }
    if (found.mark !== undefined) pieces.push({ _tag: "Mark", mark: found.mark })
    if (found.word !== undefined) pieces.push({ _tag: "Word", word: found.word })
    if (found.text !== undefined) {
      const body = found.text.slice(1, -1)
      if (/\\/.test(body.replaceAll(escape, ""))) {
        return { why: String.raw`a backslash in a string must be written as \\, a quote in it as \"` }
      }
      pieces.push({ _tag: "Text", text: body.replaceAll(escape, (each) => JSON.parse(`"${each}"`) as string) })
    }
  }
  return { pieces }
}

const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g

/**
 * True if JSON says what a loose text says: the same keys and values in the same order, in the same brackets. The JSON may
 * have a closing bracket at the end that the text lacks, if it can only mean that one, or lack some that are too many there.
 */
export const saysTheSame = (loose: ReadonlyArray<Piece>, json: ReadonlyArray<Piece>): boolean => {
  if (lacksEnd(loose) && !canBeClosed(loose)) return false
  const [ones, others] = [withoutEnd(loose).map(meaningOf), withoutEnd(json).map(meaningOf)]
  return ones.length === others.length && ones.every((one, at) => one !== undefined && one === others[at])
}

const isMark = (given: Piece | undefined, marks: string): boolean =>
  given?._tag === "Mark" && marks.includes(given.mark)

const countOf = (pieces: ReadonlyArray<Piece>, marks: string) => pieces.filter((each) => isMark(each, marks)).length

/** True if fewer brackets close than open. */
export const lacksEnd = (pieces: ReadonlyArray<Piece>): boolean => countOf(pieces, "{[") > countOf(pieces, "}]")

/** In an object in an object, a bracket could be missing anywhere; an open array or a word could go on. */
const canBeClosed = (pieces: ReadonlyArray<Piece>): boolean =>
  countOf(pieces, "{") === 1 && countOf(pieces, "{[") - countOf(pieces, "}]") === 1 && pieces.at(-1)?._tag !== "Word"

const withoutEnd = (pieces: ReadonlyArray<Piece>) =>
  pieces.slice(0, pieces.findLastIndex((each) => !isMark(each, "}]")) + 1)

/** A piece in one spelling; undefined for a word that is no key, no number and no constant. */
const meaningOf = (given: Piece, at: number, pieces: ReadonlyArray<Piece>): string | undefined => {
  switch (given._tag) {
    case "Mark":
      return given.mark
    case "Text":
      return JSON.stringify(given.text)
    case "Word":
      if (isMark(pieces[at + 1], ":"))
        return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(given.word) ? JSON.stringify(given.word) : undefined
      return (
        constants.get(given.word) ??
        (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(given.word) ? given.word : undefined)
      )
  }
}

/** Those of JSON and of Python. */
const constants = new Map([
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
  ["True", "true"],
  ["False", "false"],
  ["None", "null"]
])
