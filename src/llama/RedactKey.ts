import * as Redacted from "effect/Redacted"

/** What stands in the place of the key. */
const hidden = "<api key>"

/** A beginning of the key that is shorter than this, in characters, is not hidden before a cut. */
const shortestHead = 4

/**
 * Takes the API key out of what a server says: servers quote the key that they refuse, each character as it is or as
 * JSON, HTML or URLs write it, and a text that was cut (`…`) may end in the middle of it.
 */
export const redactKey = (apiKey: Redacted.Redacted | undefined): ((words: string) => string) => {
  const key = apiKey === undefined ? "" : Redacted.value(apiKey)
  if (key === "") return (words) => words
  const characters = Array.from(key, spellings)

  /** Where the key ends that begins there, if it does; the end of the text if that was cut within the key. */
  const endOf = (words: string, from: number): number | undefined => {
    let end = from
    for (const [index, forms] of characters.entries()) {
      const found = forms.find((form) => words.startsWith(form, end))
      if (found === undefined) {
        const cut = index < shortestHead ? null : cutSpelling.exec(words.slice(end, end + 8))
        return cut === null ? undefined : end + cut[0].length
      }
      end += found.length
    }
    return end
  }

  return (words) => {
    let told = ""
    let at = 0
    for (let from = 0; from < words.length; from++) {
      const end = endOf(words, from)
      if (end === undefined) continue
      told += words.slice(at, from) + hidden
      at = end
      from = end - 1
    }
    return told + words.slice(at)
  }
}

/** What may be left of a character that was cut, and the sign of the cut (written so that the bundle stays plain ASCII). */
const cutSpelling = /^[&%\\]?[#\w]{0,5}(?=\u2026)/

const entities: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** A visible ASCII character in the ways to write it; the longer ones first, since they may begin with a shorter one. */
const spellings = (character: string): ReadonlyArray<string> => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16)
  const digits = [hex, hex.toUpperCase()]
  return [
    ...digits.flatMap((each) => [`\\u00${each}`, `%${each}`, `&#x${each};`]),
    `&#${code};`,
    ...(entities[character] === undefined ? [] : [entities[character]]),
    `\\${character}`,
    character
  ]
}
