/**
 * JSON text as `JSON.stringify` wrote it, without halves of characters: it escapes a half that stands alone, where a
 * model or a host had cut a character in two, and servers that read strictly refuse everything that stands beside one.
 */
export const wellFormed = (json: string): string =>
  json.includes("\\ud") ? json.replaceAll(escapes, (escape) => (escape === "\\\\" ? escape : "\ufffd")) : json

/** A whole character is never escaped; behind an escaped backslash the same characters are text. */
const escapes = /\\(?:\\|ud[89a-f][0-9a-f]{2})/g
