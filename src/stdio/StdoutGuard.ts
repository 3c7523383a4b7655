import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The most that waits for a stderr that nobody reads, in bytes; further output is dropped. */
const maxWaitingBytes = 1024 * 1024

/** The chunks that contain frames. */
const frames = new WeakSet<Uint8Array>()

/** Encodes frames as a chunk that a guarded stdout lets through; it diverts any other. */
export const frameBytes = (text: string): Uint8Array => {
  const bytes = Buffer.from(text, "utf8")
  frames.add(bytes)
  return bytes
}

type Write = (chunk: unknown, encoding: BufferEncoding, done: (error?: Error | null) => void) => void

/** The part of a `Writable` below `write`, which passes chunks to the system. */
interface Writer {
  _write: Write
  _writev?: unknown
  readonly bytesWritten?: number
}

let guards = 0
let unguard = (): void => {}

/**
 * Diverts to stderr everything but the sink's frames that is written to the process's stdout: `console.*`, a
 * dependency's banner, a preloaded module with a copy of `process.stdout.write` (contract 3). It replaces `_write`,
 * which such a copy calls too. Output before this call and writes to descriptor 1 itself are not diverted.
 */
export const guardStdout = (): void => {
  guards++
  if (guards > 1) return
  const stdout = process.stdout as unknown as Writer
  // A preloaded module has printed while it was loaded: the first frame begins a line of its own all the same.
  if ((stdout.bytesWritten ?? 0) > 0) process.stdout.write("\n")
  const hadWrite = Object.hasOwn(stdout, "_write")
  const write = stdout._write
  stdout._write = (chunk, encoding, done) => {
    if (chunk instanceof Uint8Array && frames.has(chunk)) return write.call(stdout, chunk, encoding, done)
    const { stderr } = process
    // Never waits for stderr, since a host need not read it (contract 10).
    if (stderr.writable && stderr.writableLength < maxWaitingBytes) stderr.write(chunk as Uint8Array)
    done()
  }
  // With `_writev` several waiting chunks would be written at once, past `_write`.
  stdout._writev = null
  unguard = () => {
    if (hadWrite) stdout._write = write
    else Reflect.deleteProperty(stdout, "_write")
    Reflect.deleteProperty(stdout, "_writev")
  }
}

/** `guardStdout` while its scope is open. */
export const layer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.acquireRelease(Effect.sync(guardStdout), () =>
    Effect.sync(() => {
      guards--
      if (guards === 0) unguard()
    })
  )
)
