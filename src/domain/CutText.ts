/**
 * The first `length` characters (UTF-16 units) of a text, or one less where that would cut a surrogate pair in two. Lone
 * surrogates become U+FFFD, since strict readers refuse them.
 */
export const cutText = (text: string, length: number): string =>
  (text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")).toWellFormed()

/** The last `length` characters of a text; as {@link cutText}. */
export const tailText = (text: string, length: number): string =>
  (text.length <= length ? text : text.slice(text.length - length).replace(/^[\uDC00-\uDFFF]/, "")).toWellFormed()
