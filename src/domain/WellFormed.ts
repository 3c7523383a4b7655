/**
 * A value as JSON without halves of characters: `JSON.stringify` escapes a half that stands alone, where a model or a host
 * had cut a character in two, and servers that read strictly refuse everything that stands beside one.
 */
export const wellFormedJson = (value: object): string => {
  const json = JSON.stringify(value)
  return json.includes("\\ud") ? json.replaceAll(escapes, (escape) => (escape === "\\\\" ? escape : "\ufffd")) : json
}

/** A whole character is never escaped; behind an escaped backslash the same characters are text. */
const escapes = /\\(?:\\|ud[89a-f][0-9a-f]{2})/g
