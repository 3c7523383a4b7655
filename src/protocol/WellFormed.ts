/**
 * A value as JSON without lone surrogates, which become U+FFFD. `JSON.stringify` escapes a lone one, which comes from a
 * character that a model or a host has cut in two, and strict readers refuse the whole text for it.
 */
export const wellFormedJson = (value: unknown): string => {
  const json = JSON.stringify(value)
  return json.includes("\\ud") ? wellFormed(json) : json
}

/** Parses JSON, without lone surrogates; throws as `JSON.parse` does. */
export const parseWellFormed = (json: string): unknown => JSON.parse(/\\u[dD]/.test(json) ? wellFormed(json) : json)

const wellFormed = (json: string): string =>
  json.replaceAll(escapes, (escape) => (escape === "\\\\" || escape.length === pairLength ? escape : "\ufffd"))

/** Escaped surrogates, in pairs if they are. An escaped backslash is matched first, since `\\ud800` is ordinary text. */
const escapes = /\\(?:\\|u[dD][89abAB][\da-fA-F]{2}(?:\\u[dD][c-fC-F][\da-fA-F]{2})?|u[dD][c-fC-F][\da-fA-F]{2})/g

const pairLength = "\\ud83d\\ude00".length
