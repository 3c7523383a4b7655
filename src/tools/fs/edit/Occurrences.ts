/**
 * The offsets at which a text occurs in another one, `most` and one more at most, in linear time (Knuth, Morris, Pratt): that of
 * `indexOf` is the product of both lengths at its worst.
 */
export const occurrencesOf = (
  text: string,
  wanted: string,
  most: number,
  overlap: boolean,
  fits: (at: number) => boolean = () => true
): ReadonlyArray<number> => {
  const size = wanted.length
  const found: Array<number> = []
  if (size === 0) return found
  const shorter = borders(wanted)
  let matched = 0
  for (let index = 0; index < text.length && found.length <= most; index++) {
    const unit = text.charCodeAt(index)
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = shorter[matched - 1] ?? 0
    if (wanted.charCodeAt(matched) === unit) matched += 1
    if (matched < size) continue
    const isFit = fits(index + 1 - size)
    if (isFit) found.push(index + 1 - size)
    matched = isFit && !overlap ? 0 : (shorter[size - 1] ?? 0)
  }
  return found
}

/** For each beginning of a text, the length of its longest shorter beginning that is its end too. */
const borders = (text: string): Int32Array => {
  const lengths = new Int32Array(text.length)
  for (let index = 1, length = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    while (length > 0 && text.charCodeAt(length) !== unit) length = lengths[length - 1] ?? 0
    if (text.charCodeAt(length) === unit) length += 1
    lengths[index] = length
  }
  return lengths
}
