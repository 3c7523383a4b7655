/** The first `length` characters of a text, without half a surrogate pair at the end. */
export const cutText = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")
