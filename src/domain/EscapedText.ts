/** A text as it reads once its escapes stand for characters. */
export interface Reading {
  readonly text: string
  /** The part of the source that `text` has from `from` up to `to`; of characters that stand for nothing only those between. */
  sourceOf(from: number, to: number): readonly [from: number, to: number]
}

/** A way to write characters: what matches `pattern` stands for `meaning`, which is a character or nothing. */
interface Writing {
  readonly sign: string
  readonly pattern: RegExp
  readonly meaning: (match: string) => string
}

const json: Writing = {
  sign: "\\",
  pattern: /\\(?:u[\da-f]{4}|x[\da-f]{2}|[^])/gi,
  meaning: (match) => {
    const code = /^\\[ux]([\da-f]+)$/i.exec(match)?.[1]
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    return /^\\[bfnrt]$/.test(match) ? "" : match.slice(1)
  }
}

const named: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const html: Writing = {
  sign: "&",
  pattern: /&(?:#x0*[\da-f]{1,6}|#0*\d{1,7}|amp|lt|gt|quot|apos);/gi,
  meaning: (match) => {
    const name = match.slice(1, -1).toLowerCase()
    if (!name.startsWith("#")) return named[name] ?? match
    const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code <= 0x10ffff ? String.fromCodePoint(code) : match
  }
}

const url: Writing = {
  sign: "%",
  pattern: /%[0-7][\da-f]|%[c-f][\da-f](?:%[89ab][\da-f]){1,3}/gi,
  meaning: (match) => {
    try {
      return decodeURIComponent(match)
    } catch {
      return match
    }
  }
}

/** What a terminal shows nothing of: its commands, control characters (ends of lines too) and marks without a width. */
const invisible: Writing = {
  sign: "",
  pattern:
    // oxlint-disable-next-line no-control-regex
    /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\0-\u0008\n-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/g,
  meaning: () => ""
}

/** Single characters that show nothing: what a command of the terminal holds, a title or a link, is read as text. */
const controls: Writing = {
  sign: "\u001b",
  pattern: /(?!\t)[\p{Cc}\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/gu,
  meaning: () => ""
}

/**
 * The readings of a text, all without what a terminal shows nothing of: as it is, and as JSON, as HTML, as a URL and as all
 * of them one in another, where it has signs of them. Commands of a terminal are read both ways: left out, and as text.
 */
export const readingsOf = (text: string): ReadonlyArray<Reading> => {
  const escapes = [json, html, url].filter(({ sign }) => text.includes(sign))
  const chains = [[], ...escapes.map((each) => [each]), ...(escapes.length > 1 ? [escapes] : [])]
  return chains.flatMap((chain) => {
    const meant = chain.reduce(read, { text, sourceOf: (from, to) => [from, to] } satisfies Reading)
    return (meant.text.includes(controls.sign) ? [invisible, controls] : [invisible]).map((each) => read(meant, each))
  })
}

const read = (source: Reading, { meaning, pattern }: Writing): Reading => {
  /** Where each match begins in the reading, how long its meaning is, and where it is in the source. */
  const at: Array<number> = []
  const lengths: Array<number> = []
  const starts: Array<number> = []
  const ends: Array<number> = []
  let shift = 0
  const text = source.text.replace(pattern, (match, ...rest) => {
    const start: number = rest.at(-2)
    const meant = meaning(match)
    at.push(start - shift)
    lengths.push(meant.length)
    starts.push(start)
    ends.push(start + match.length)
    shift += match.length - meant.length
    return meant
  })
  if (at.length === 0) return source
  /** Where the source has the character at `index`. */
  const placeOf = (index: number): readonly [start: number, end: number] => {
    let low = 0
    let high = at.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (at[middle]! <= index) low = middle + 1
      else high = middle
    }
    const last = low - 1
    if (last < 0) return [index, index + 1]
    if (index < at[last]! + lengths[last]!) return [starts[last]!, ends[last]!]
    const start = ends[last]! + index - at[last]! - lengths[last]!
    return [start, start + 1]
  }
  return { text, sourceOf: (from, to) => source.sourceOf(placeOf(from)[0], placeOf(to - 1)[1]) }
}
