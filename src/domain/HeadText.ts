/** Decodes at most the first `limit` bytes of a text in UTF-8, without cutting a character in two. */
export const headText = (bytes: Uint8Array, limit: number): string =>
  // With `stream`, the beginning of a character at the end is left out.
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, limit), { stream: bytes.length >= limit })
