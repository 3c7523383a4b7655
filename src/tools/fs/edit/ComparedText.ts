import { occurrencesOf } from "./Occurrences.ts"

/** What is not compared: each rung ignores what those before it ignore, too. */
export type Rung = "line ends" | "trailing blanks" | "look-alike characters" | "runs of blanks"

export const rungs: ReadonlyArray<Rung> = ["line ends", "trailing blanks", "look-alike characters", "runs of blanks"]

/** A text as a rung compares it. Character `i` of `text` stands for the source from `starts[i]` to `ends[i]`. */
export interface ComparedText {
  readonly text: string
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Blanks at the very end were left out: what it stands for ends where a line does. */
  readonly endsLine: boolean
}

/** Characters that look like a plain one, or like a space, each of one UTF-16 unit. */
const lookAlikes = new Map(
  Object.entries({
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc",
    '"': "\u201c\u201d\u201e\u201f\u2033",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
  }).flatMap(([plain, others]) => Array.from(others, (other) => [other, plain] as const))
)

/** A text as `rung` compares it: with LF, and with as little of its blanks and look-alikes as the rung allows. */
export const compared = (source: string, rung: Rung): ComparedText => {
  const level = rungs.indexOf(rung)
  const own = level >= 2 ? source.replaceAll(/[^\0-\x7f]/g, (each) => lookAlikes.get(each) ?? each) : source
  const starts = new Uint32Array(source.length)
  const ends = new Uint32Array(source.length)
  const pieces: Array<string> = []
  let length = 0
  let endsLine = false
  /** What is taken over as it is begins here. */
  let from = 0
  const keep = (until: number) => {
    pieces.push(own.slice(from, until))
    for (let at = from; at < until; at++) {
      starts[length] = at
      ends[length++] = at + 1
    }
  }
  const put = (text: string, at: number, behind: number) => {
    keep(at)
    pieces.push(text)
    if (text !== "") {
      starts[length] = at
      ends[length++] = behind
    }
    from = behind
  }
  for (const { 0: found, index } of own.matchAll(level === 0 ? /\r\n/g : /\r\n|[ \t]+/g)) {
    const behind = index + found.length
    const isAtEnd = behind === own.length
    if (found === "\r\n") put("\n", index, behind)
    else if (isAtEnd || own[behind] === "\n" || own.startsWith("\r\n", behind)) {
      put("", index, behind)
      endsLine = isAtEnd
    } else if (level >= 3 && index > 0 && own[index - 1] !== "\n") put(" ", index, behind)
  }
  keep(own.length)
  return { text: pieces.join(""), starts: starts.subarray(0, length), ends: ends.subarray(0, length), endsLine }
}

/** The places at which `part` stands in `whole`, overlapping ones too; `most` and one more at most. */
export const placesOf = (whole: ComparedText, part: ComparedText, most: number): ReadonlyArray<number> =>
  occurrencesOf(whole.text, part.text, most, true, (at) => {
    const behind = whole.text[at + part.text.length]
    return !part.endsLine || behind === undefined || behind === "\n"
  })
