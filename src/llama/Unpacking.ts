import type { Transform } from "node:stream"

/**
 * What unpacks the body of an answer; null where nobody here can. Model servers do not pack theirs, but a proxy before
 * one may, asked for or not.
 */
export const unpackerOf = (encoding: string): Transform | null => {
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
