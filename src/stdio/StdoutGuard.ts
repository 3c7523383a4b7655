import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** How much may wait on a stderr that nobody reads, in bytes; what comes then is dropped. */
const maxWaitingBytes = 1024 * 1024

/** The writes that carry frames. */
const frames = new WeakSet<Uint8Array>()

/** The bytes of a write that carries frames: the only ones that a guarded stdout lets through. */
export const frameBytes = (text: string): Uint8Array => {
  const bytes = Buffer.from(text, "utf8")
  frames.add(bytes)
  return bytes
}

type Write = (chunk: unknown, encoding: BufferEncoding, done: (error?: Error | null) => void) => void

/** Where a `Writable` hands on what was written to it. */
interface Writer {
  _write: Write
  _writev?: unknown
}

let guards = 0
let unguard = (): void => {}

/**
 * Sends to stderr whatever anyone but the sink writes to the process's stdout: `console.*`, a dependency's banner, a
 * module that was preloaded and kept `process.stdout.write` (contract 3). It stands below `write`, where a copy of that
 * method arrives too. What a module printed before, and what writes to descriptor 1 itself, is out of its reach.
 */
export const guardStdout = (): void => {
  guards++
  if (guards > 1) return
  const stdout = process.stdout as unknown as Writer
  const hadWrite = Object.hasOwn(stdout, "_write")
  const write = stdout._write
  stdout._write = (chunk, encoding, done) => {
    if (chunk instanceof Uint8Array && frames.has(chunk)) return write.call(stdout, chunk, encoding, done)
    const { stderr } = process
    // Nothing waits for stderr: a host need not read it (contract 10).
    if (stderr.writable && stderr.writableLength < maxWaitingBytes) stderr.write(chunk as Uint8Array)
    done()
  }
  // Otherwise several waiting writes would be handed on at once, past `_write`.
  stdout._writev = null
  unguard = () => {
    if (hadWrite) stdout._write = write
    else Reflect.deleteProperty(stdout, "_write")
    Reflect.deleteProperty(stdout, "_writev")
  }
}

/** Guards the process's stdout while its scope is open. */
export const layer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.acquireRelease(Effect.sync(guardStdout), () =>
    Effect.sync(() => {
      guards--
      if (guards === 0) unguard()
    })
  )
)
