import { Buffer } from "node:buffer"

/** The number of bytes at a file's start that decide whether it is text. */
export const sniffBytes = 8192

/** The kind of a file that begins with the byte order mark of UTF-16. */
export const utf16Kind = "UTF-16 text or binary data"

/** The kind of a binary file, by its first bytes ("a PNG image"); undefined for text. */
export const binaryKind = (head: Buffer): string | undefined => {
  const known = signatures.find(([bytes, , at = 0]) => head.subarray(at, at + bytes.length).equals(bytes))
  const isBinary = head.includes(0)
  // A text may begin with the same letters as a PDF.
  if (known !== undefined && (isBinary || !isUtf8(head))) return known[1]
  return isBinary ? "binary data" : undefined
}

const isUtf8 = (head: Buffer): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

const hex = (text: string) => Buffer.from(text, "hex")
const latin = (text: string) => Buffer.from(text, "latin1")

const signatures: ReadonlyArray<readonly [Buffer, string, number?]> = [
  [hex("89504e470d0a1a0a"), "a PNG image"],
  [hex("ffd8ff"), "a JPEG image"],
  [latin("GIF87a"), "a GIF image"],
  [latin("GIF89a"), "a GIF image"],
  [latin("WEBP"), "a WebP image", 8],
  [latin("WAVE"), "WAV audio", 8],
  [latin("ftyp"), "an MPEG-4 or HEIF file", 4],
  [latin("ID3"), "MP3 audio"],
  [latin("OggS"), "an Ogg file"],
  [latin("%PDF-"), "a PDF document"],
  [hex("504b0304"), "a ZIP archive (or a document or package made of one)"],
  [hex("1f8b"), "gzip data"],
  [hex("28b52ffd"), "zstd data"],
  [hex("fd377a585a00"), "xz data"],
  [latin("BZh"), "bzip2 data"],
  [hex("377abcaf271c"), "a 7-Zip archive"],
  [hex("7f454c46"), "an ELF executable"],
  [hex("cffaedfe"), "a Mach-O executable"],
  [hex("cafebabe"), "a Java class or Mach-O executable"],
  [hex("0061736d"), "a WebAssembly module"],
  [latin("SQLite format 3\0"), "a SQLite database"],
  [hex("fffe"), utf16Kind],
  [hex("feff"), utf16Kind]
]
