import { readingsOf } from "./EscapedText.ts"

/** Pieces of a secret of this many characters are replaced; whole secrets are, however short. */
const fragmentLength = 8

/** At a cut (`…`), the beginning or the end of a secret is replaced if it has at least this many characters. */
const shortestAtCut = 4

/** A part of a text: from an index, up to another one and without it. */
type Range = readonly [from: number, to: number]

/**
 * Returns a function that replaces secrets in a text by a placeholder, whole ones and pieces of at least `fragmentLength`
 * characters, in all readings of the text (`readingsOf`). Takes time in proportion to the text, whatever it is: 1 MB in some
 * ten milliseconds. With no secret the text is returned as it is.
 */
export const redactSecrets = (secrets: ReadonlyArray<string>, placeholder: string): ((text: string) => string) => {
  const known = [...new Set(secrets)].filter((secret) => secret !== "")
  if (known.length === 0) return (text) => text
  const fragmentsIn = fragmentFinder(
    // A piece of two secrets is a sign if it is one of either: the later entry counts.
    new Map(known.flatMap(fragmentsOf).toSorted(([, a], [, b]) => Number(a) - Number(b)))
  )

  const hidden = (text: string): Array<Range> => [
    ...known.flatMap((secret) => occurrences(text, secret)),
    ...fragmentsIn(text),
    ...cutSecrets(text, known)
  ]
  return (text) =>
    replaced(
      text,
      readingsOf(text).flatMap((reading) => hidden(reading.text).map(([from, to]) => reading.sourceOf(from, to))),
      placeholder
    )
}

const replaced = (text: string, ranges: ReadonlyArray<Range>, placeholder: string): string => {
  let result = ""
  let copiedTo = 0
  let end = 0
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from >= end) {
      result += text.slice(copiedTo, from) + placeholder
      end = from
    }
    end = Math.max(end, to)
    copiedTo = end
  }
  return result + text.slice(copiedTo)
}

const occurrences = (text: string, secret: string): Array<Range> => {
  const found: Array<Range> = []
  for (let from = text.indexOf(secret); from !== -1; from = text.indexOf(secret, from + secret.length)) {
    found.push([from, from + secret.length])
  }
  return found
}

/**
 * The pieces of a secret, and whether each is a sign of it. None has a blank, since what a blank parts is no secret together
 * (`Bearer token`). Those within a plain word of the secret are no sign, nor are those of one character only: a key such as
 * `no-key-required` must not hide a word of everybody's language.
 */
const fragmentsOf = (secret: string): ReadonlyArray<readonly [fragment: string, isSign: boolean]> => {
  const words = [...secret.matchAll(/[A-Za-z\d]+/g)].filter(([word]) => plainWord.test(word))
  const isPlain = (from: number, to: number) =>
    words.some(({ 0: word, index }) => {
      const others = secret.slice(from, Math.max(from, index)) + secret.slice(Math.min(to, index + word.length), to)
      return !/[A-Za-z\d]/.test(others)
    })
  const fragments: Array<readonly [string, boolean]> = []
  for (let from = 0; from + fragmentLength <= secret.length; from++) {
    const fragment = secret.slice(from, from + fragmentLength)
    if (/\s/.test(fragment)) continue
    fragments.push([fragment, !/^(.)\1*$/.test(fragment) && !isPlain(from, from + fragmentLength)])
  }
  return fragments
}

/** A word of a language as it is written in keys; random letters are longer or of both cases. */
const plainWord = /^(?:[a-z]{7,14}|[A-Z]{7,14}|[A-Z][a-z]{6,13})$/

/**
 * A function that returns where a text has pieces, one behind or over another, of which one is a sign. It looks at every
 * seventh pair of characters, since each piece has one of those in it, and further only where the pair is one of a piece.
 */
const fragmentFinder = (fragments: ReadonlyMap<string, boolean>): ((text: string) => Array<Range>) => {
  const step = fragmentLength - 1
  const pairAt = (text: string, at: number) => ((text.charCodeAt(at) & 0xff) << 8) | (text.charCodeAt(at + 1) & 0xff)
  const pairs = new Uint8Array(0x10000)
  for (const fragment of fragments.keys()) for (let at = 0; at < step; at++) pairs[pairAt(fragment, at)] = 1
  return (text) => {
    const found: Array<Range> = []
    let start = 0
    let end = 0
    let hasSign = false
    const close = () => {
      if (hasSign) found.push([start, end])
      hasSign = false
    }
    for (let at = step - 1; at + 1 < text.length; at += step) {
      if (pairs[pairAt(text, at)] === 0) continue
      for (let from = at - step + 1; from <= at; from++) {
        const isSign = fragments.get(text.slice(from, from + fragmentLength))
        if (isSign === undefined) continue
        if (from >= end) {
          close()
          start = from
        }
        end = from + fragmentLength
        hasSign ||= isSign
      }
    }
    close()
    return found
  }
}

/** The beginnings of secrets before a cut and the ends of secrets behind one. */
const cutSecrets = (text: string, secrets: ReadonlyArray<string>): Array<Range> => {
  const found: Array<Range> = []
  for (let cut = text.indexOf("\u2026"); cut !== -1; cut = text.indexOf("\u2026", cut + 1)) {
    for (const secret of secrets) {
      const before = text.slice(Math.max(0, cut - secret.length - longestEscape), cut)
      const whole = before.replace(cutEscape, "")
      const head = Math.max(overlap(before, secret), overlap(whole, secret) + before.length - whole.length)
      if (head >= shortestAtCut) found.push([cut - head, cut])
      const tail = overlap(secret, text.slice(cut + 1, cut + 1 + secret.length))
      if (tail >= shortestAtCut) found.push([cut + 1, cut + 1 + tail])
    }
  }
  return found
}

/** The beginning of an escaped character. */
const cutEscape = /[&%\\][#\w]{0,5}$/
const longestEscape = 7

/** How many characters the end of `left` and the beginning of `right` have in common; 0 if they are too few. */
const overlap = (left: string, right: string): number => {
  const end = left.slice(-shortestAtCut)
  if (end.length < shortestAtCut) return 0
  let longest = 0
  for (let at = right.indexOf(end); at !== -1; at = right.indexOf(end, at + 1)) {
    if (left.endsWith(right.slice(0, at + end.length))) longest = at + end.length
  }
  return longest
}
