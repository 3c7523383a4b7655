import type { Transform } from "node:stream"

/**
 * Returns a stream that decodes a body with this `Content-Encoding`; null if the encoding is unknown. Model servers
 * send none, but a proxy in front of one may compress even when the request asks for `identity`.
 */
export const decoderOf = (encoding: string): Transform | null => {
  const zlib = process.getBuiltinModule("node:zlib")
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants
  // With these flush modes a body that breaks off is decoded as far as it arrived.
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip({ finishFlush: Z_SYNC_FLUSH })
    case "deflate":
      return zlib.createInflate({ finishFlush: Z_SYNC_FLUSH })
    case "br":
      return zlib.createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH })
    default:
      return null
  }
}
