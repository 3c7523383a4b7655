import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import type { Transform } from "node:stream"

/**
 * The body of an answer as it was before it was packed; null where nobody here can unpack it. Model servers do not pack
 * theirs, but a proxy before one may, asked for or not.
 */
export const unpacked = (answer: IncomingMessage): Readable | null => {
  const encoding = encodingOf(answer)
  if (encoding === "" || encoding === "identity") return answer
  const unpacker = unpackerOf(encoding)
  if (unpacker === null) return null
  answer.on("error", (error) => unpacker.destroy(error))
  return answer.pipe(unpacker)
}

/** What an answer says that it is packed as. */
export const encodingOf = (answer: IncomingMessage): string =>
  answer.headers["content-encoding"]?.trim().toLowerCase() ?? ""

const unpackerOf = (encoding: string): Transform | null => {
  const zlib = process.getBuiltinModule("node:zlib")
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      // What came before a body broke off is still worth reading.
      return zlib.createGunzip({ finishFlush: Z_SYNC_FLUSH })
    case "deflate":
      return zlib.createInflate({ finishFlush: Z_SYNC_FLUSH })
    case "br":
      return zlib.createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH })
    default:
      return null
  }
}
