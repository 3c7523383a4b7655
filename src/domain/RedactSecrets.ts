/** The beginning of a secret before a cut (`…`) is replaced if it has at least this many characters. */
const shortestHead = 4

/**
 * Returns a function that replaces secrets in a text by a placeholder. Each character is recognised as it is or as
 * JSON, HTML or a URL writes it, since servers quote the key that they refuse. A cut text (`…`) may end within a
 * secret. A secret written in another way, in two pieces or in base64, is not recognised.
 */
export const redactSecrets = (secrets: ReadonlyArray<string>, placeholder: string): ((text: string) => string) => {
  // Longer ones first, since one secret may begin with another.
  const known = [...new Set(secrets)]
    .filter((secret) => secret !== "")
    .toSorted((a, b) => b.length - a.length)
    .map((secret) => Array.from(secret, spellings))
  if (known.length === 0) return (text) => text
  const firstUnits = new Set(known.flatMap(([first = []]) => first.map((form) => form.charCodeAt(0))))

  /** The end of the secret if it begins at `from`, or the end of the text if that is cut within the secret. */
  const endOf = (text: string, from: number, secret: ReadonlyArray<ReadonlyArray<string>>): number | undefined => {
    let end = from
    for (const [index, forms] of secret.entries()) {
      const form = forms.find((each) => text.startsWith(each, end))
      if (form === undefined) {
        const cut = index < shortestHead ? null : cutSpelling.exec(text.slice(end, end + 8))
        return cut === null ? undefined : end + cut[0].length
      }
      end += form.length
    }
    return end
  }

  return (text) => {
    let redacted = ""
    let copiedTo = 0
    for (let from = 0; from < text.length; from++) {
      if (!firstUnits.has(text.charCodeAt(from))) continue
      for (const secret of known) {
        const end = endOf(text, from, secret)
        if (end === undefined) continue
        redacted += text.slice(copiedTo, from) + placeholder
        copiedTo = end
        from = end - 1
        break
      }
    }
    return redacted + text.slice(copiedTo)
  }
}

/** The beginning of an escaped character before the sign of a cut (`\u2026`: the bundle is plain ASCII). */
const cutSpelling = /^[&%\\]?[#\w]{0,5}(?=\u2026)/

const entities: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** The ways to write a character. Longer ones first, since they may begin with a shorter one. */
const spellings = (character: string): ReadonlyArray<string> => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16)
  const digits = [hex, hex.toUpperCase()]
  return [
    ...digits.flatMap((each) => [`\\u${each.padStart(4, "0")}`, `%${each}`, `&#x${each};`]),
    ...(code > 0x7f && character.isWellFormed() ? [encodeURIComponent(character)] : []),
    `&#${code};`,
    ...(entities[character] === undefined ? [] : [entities[character]]),
    `\\${character}`,
    character
  ]
}
