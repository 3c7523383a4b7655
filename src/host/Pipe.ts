import type { Readable, Writable } from "node:stream"
import type { SidecarExit } from "./HostError.ts"

/** A running sidecar as the host holds it: two streams, its end, and ways to end it. */
export interface Pipe {
  /** The process id; undefined if there is no child process. */
  readonly pid: number | undefined
  /** The sidecar's stdin. */
  readonly input: Writable
  /** The sidecar's stdout. */
  readonly output: Readable
  /** Resolves when the sidecar has ended and all its output has been read. Never rejects. */
  readonly ended: Promise<SidecarExit>
  /** Asks the process to end, by SIGTERM; does nothing on Windows and for streams. */
  readonly terminate: () => void
  /** Ends the process at once, or destroys the streams. */
  readonly kill: () => void
}

/**
 * Makes a pipe of two streams that the caller owns, such as a socket. Write errors are ignored: the output ends too.
 */
export const attachStreams = (input: Writable, output: Readable): Pipe => {
  const ended = new Promise<SidecarExit>((resolve) => {
    const end = (detail = "") => {
      input.end()
      resolve({ exitCode: null, signal: null, detail })
    }
    if (output.readableEnded || output.destroyed) return end()
    output.once("end", () => end())
    output.once("close", () => end())
    output.on("error", (error) => end(error.message))
  })
  input.on("error", () => {})
  return {
    pid: undefined,
    input,
    output,
    ended,
    terminate: () => {},
    kill: () => {
      input.destroy()
      output.destroy()
    }
  }
}
