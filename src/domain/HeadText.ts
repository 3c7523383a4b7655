import { Buffer } from "node:buffer"

/** Decodes at most the first `limit` bytes of a text in UTF-8, without cutting a character in two. */
export const headText = (bytes: Uint8Array, limit: number): string => {
  const head = bytes.subarray(0, limit)
  let stop = head.length
  if (bytes.length >= limit) {
    let lead = stop - 1
    while (lead > stop - 4 && (head[lead]! & 0xc0) === 0x80) lead--
    const need = head[lead]! >= 0xf0 ? 4 : head[lead]! >= 0xe0 ? 3 : head[lead]! >= 0xc0 ? 2 : 1
    if (lead + need > stop) stop = lead
  }
  return Buffer.from(head.buffer, head.byteOffset, stop).toString("utf8")
}
