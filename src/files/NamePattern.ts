/** A piece of a word of a command line: what is quoted is no pattern. */
export interface Piece {
  readonly text: string
  readonly isQuoted: boolean
}

/** Any number of characters, any one, one of a set, or the one behind `=`. */
type Token = "many" | "any" | `=${string}` | { readonly isNegated: boolean; readonly ranges: ReadonlyArray<Range> }
type Range = readonly [from: number, to: number]

/** A pattern of one name: what stands between two slashes. */
export interface NamePattern {
  /** The text without quotes. */
  readonly text: string
  /** True if it has `*`, `?` or `[…]` beyond quotes. */
  readonly isPattern: boolean
  readonly matches: (name: string) => boolean
}

/**
 * The names and patterns between the slashes of a word. Undefined for brackets that shells read in different ways: with
 * quotes, backslashes or classes in them.
 */
export const namePatterns = (pieces: ReadonlyArray<Piece>): ReadonlyArray<NamePattern> | undefined => {
  const names: Array<Array<Piece>> = [[]]
  for (const { isQuoted, text } of pieces) {
    for (const char of text) {
      if (char === "/") names.push([])
      else names.at(-1)?.push({ text: char, isQuoted })
    }
  }
  const patterns = names.map(patternOf)
  return patterns.every((pattern) => pattern !== undefined) ? patterns : undefined
}

const patternOf = (chars: ReadonlyArray<Piece>): NamePattern | undefined => {
  const tokens: Array<Token> = []
  let isPattern = false
  for (let at = 0; at < chars.length; at++) {
    const { isQuoted, text } = chars[at] ?? { isQuoted: true, text: "" }
    const isActive = !isQuoted && /[*?[]/.test(text)
    const end = isActive && text === "[" ? bracketEnd(chars, at) : undefined
    if (end === "unclear") return undefined
    if (!isActive || (text === "[" && end === undefined)) {
      tokens.push(`=${text}`)
      continue
    }
    isPattern = true
    if (end === undefined) tokens.push(text === "*" ? "many" : "any")
    else {
      tokens.push(setOf(chars.slice(at + 1, end).map((char) => char.text)))
      at = end
    }
  }
  const text = chars.map((char) => char.text).join("")
  // A leading dot must be written, as in the shell.
  const matches = (name: string) => (text.startsWith(".") || !name.startsWith(".")) && fits(tokens, Array.from(name))
  return { text, isPattern, matches }
}

/** The index of the bracket that ends the set; undefined if none does, and then the first one is a character like others. */
const bracketEnd = (chars: ReadonlyArray<Piece>, from: number): number | "unclear" | undefined => {
  const first = from + (/[!^]/.test(chars[from + 1]?.text ?? "") ? 2 : 1)
  for (let at = from + 1; at < chars.length; at++) {
    const { isQuoted, text } = chars[at] ?? { isQuoted: true, text: "" }
    if (isQuoted || text === "\\" || (text === "[" && /[:.=]/.test(chars[at + 1]?.text ?? ""))) return "unclear"
    if (text === "]" && at > first) return at
  }
  return undefined
}

const setOf = (chars: ReadonlyArray<string>): Token => {
  const isNegated = chars[0] === "!" || chars[0] === "^"
  const members = isNegated ? chars.slice(1) : chars
  const ranges: Array<Range> = []
  for (let at = 0; at < members.length; at++) {
    const isRange = members[at + 1] === "-" && at + 2 < members.length
    ranges.push([codeOf(members[at]), codeOf(members[isRange ? at + 2 : at])])
    if (isRange) at += 2
  }
  return { isNegated, ranges }
}

const codeOf = (char = ""): number => char.codePointAt(0) ?? 0

/** Compares a name with a pattern. A star takes more only where the rest does not fit, so the time is bounded by the product of both. */
const fits = (tokens: ReadonlyArray<Token>, name: ReadonlyArray<string>): boolean => {
  let token = 0
  let at = 0
  let star: { readonly token: number; readonly at: number } | undefined
  while (at < name.length) {
    const current = tokens[token]
    if (current === "many") {
      token += 1
      star = { token, at }
    } else if (current !== undefined && isOne(current, name[at] ?? "")) {
      token += 1
      at += 1
    } else if (star !== undefined) {
      star = { token: star.token, at: star.at + 1 }
      token = star.token
      at = star.at
    } else return false
  }
  return tokens.slice(token).every((rest) => rest === "many")
}

const isOne = (token: Token, char: string): boolean => {
  if (typeof token === "string") return token === "any" || token === `=${char}`
  const code = codeOf(char)
  return token.ranges.some(([from, to]) => from <= code && code <= to) !== token.isNegated
}
