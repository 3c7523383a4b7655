/** A piece of the source and the index behind its end; `isOpen` if the source ended before the piece did. */
export interface Scanned {
  readonly text: string
  readonly at: number
  readonly isOpen: boolean
}

/** Scans up to the character `end`; with `escapes`, a backslash protects the character behind it. */
export const scanUntil = (source: string, from: number, end: string, escapes: boolean): Scanned => {
  let at = from
  while (at < source.length) {
    const char = source[at]
    at += 1
    if (char === end) return { text: source.slice(from, at - 1), at, isOpen: false }
    if (escapes && char === "\\") at += 1
  }
  return { text: source.slice(from), at, isOpen: true }
}

/** Scans up to the closing brace. Braces within are counted, quoted or not. */
export const scanBraced = (source: string, from: number): Scanned => {
  let at = from
  let open = 0
  while (at < source.length) {
    const char = source[at]
    at += 1
    if (char === "\\") at += 1
    else if (char === "{") open += 1
    else if (char === "}" && --open === 0) return { text: source.slice(from, at - 1), at, isOpen: false }
  }
  return { text: source.slice(from), at, isOpen: true }
}

/** Scans the lines of a here-document up to the line `end`; with `isIndented`, without the tabs before it. */
export const scanDocument = (source: string, from: number, end: string, isIndented: boolean): Scanned => {
  let at = from
  let text = ""
  while (at < source.length) {
    const newline = source.indexOf("\n", at)
    const stop = newline === -1 ? source.length : newline
    const line = source.slice(at, stop)
    at = Math.min(source.length, stop + 1)
    if ((isIndented ? line.replace(/^\t+/, "") : line) === end) return { text, at, isOpen: false }
    text += `${line}\n`
  }
  return { text, at, isOpen: true }
}

/** Decodes `$'…'`, from behind its first quote. */
export const scanAnsi = (source: string, from: number): Scanned => {
  let text = ""
  let at = from
  while (at < source.length) {
    const char = source[at] ?? ""
    if (char === "'") return { text, at: at + 1, isOpen: false }
    const escape = char === "\\" ? escapes.exec(source.slice(at + 1, at + 10))?.[0] : undefined
    text += escape === undefined ? char : unescaped(escape)
    at += 1 + (escape?.length ?? 0)
  }
  return { text, at, isOpen: true }
}

const escapes = /^(?:x[\da-f]{1,2}|u[\da-f]{1,4}|U[\da-f]{1,8}|[0-7]{1,3}|c[\s\S]|[\s\S])/i

const named: { readonly [letter: string]: string } = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v"
}

const unescaped = (escape: string): string => {
  const number = /^[xuU]([\da-f]+)$/i.exec(escape)?.[1]
  if (number !== undefined) return character(Number.parseInt(number, 16))
  if (/^[0-7]/.test(escape)) return character(Number.parseInt(escape, 8) % 256)
  return named[escape] ?? escape
}

const character = (code: number): string => (code > 0x10ffff ? "" : String.fromCodePoint(code))
