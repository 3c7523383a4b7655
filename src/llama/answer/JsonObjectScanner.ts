/** How far a JSON object that arrives in pieces has been scanned. */
export interface JsonObjectScanner {
  /** `before` the object, `inside` it, `closed` with nothing after it; `other`: the text is not one object. */
  readonly place: "before" | "inside" | "closed" | "other"
  readonly depth: number
  readonly deepest: number
  readonly inString: boolean
  /** True after a backslash in a string. */
  readonly escaped: boolean
}

export const start: JsonObjectScanner = { place: "before", depth: 0, deepest: 0, inString: false, escaped: false }

/** Scans one more piece, in time proportional to its length. A closed object is not necessarily valid JSON. */
export const push = (state: JsonObjectScanner, piece: string): JsonObjectScanner => {
  let { place, depth, deepest, inString, escaped } = state
  for (let at = 0; at < piece.length && place !== "other"; at += 1) {
    const code = piece.charCodeAt(at)
    if (inString) {
      if (escaped) escaped = false
      else if (code === backslash) escaped = true
      else if (code === quote) inString = false
    } else if (place !== "inside") {
      if (isBlank(code)) continue
      place = place === "before" && code === brace ? "inside" : "other"
      depth = 1
    } else if (code === quote) inString = true
    else if (code === brace || code === bracket) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (code === endOfBrace || code === endOfBracket) {
      depth -= 1
      if (depth === 0) place = "closed"
    }
  }
  return { place, depth, deepest, inString, escaped }
}

const backslash = 0x5c
const quote = 0x22
const brace = 0x7b
const endOfBrace = 0x7d
const bracket = 0x5b
const endOfBracket = 0x5d

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
