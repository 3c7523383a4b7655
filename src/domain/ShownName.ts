/** Escapes control characters and line separators in a name, so that it takes one line. */
export const shownName = (name: string): string =>
  name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
