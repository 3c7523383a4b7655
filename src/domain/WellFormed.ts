/**
 * A value as JSON without lone surrogates, which become U+FFFD. `JSON.stringify` escapes a lone one, which comes from a
 * character that a model or a host has cut in two, and strict servers refuse the whole request for it.
 */
export const wellFormedJson = (value: object): string => {
  const json = JSON.stringify(value)
  return json.includes("\\ud") ? json.replaceAll(escapes, (escape) => (escape === "\\\\" ? escape : "\ufffd")) : json
}

/** Surrogate pairs are never escaped. An escaped backslash is matched first, since `\\ud800` is ordinary text. */
const escapes = /\\(?:\\|ud[89a-f][0-9a-f]{2})/g
