import type { Readable, Writable } from "node:stream"
import type { SidecarExit } from "./HostError.ts"

/** A sidecar as its host holds it: two streams, and what ends them. */
export interface Pipe {
  readonly pid: number | undefined
  /** The sidecar's stdin. */
  readonly input: Writable
  /** The sidecar's stdout. */
  readonly output: Readable
  /** Settles when all output has been read and the sidecar is gone; never rejects. */
  readonly ended: Promise<SidecarExit>
  /** Asks it to go, by other means than the pipe. */
  readonly terminate: () => void
  /** Makes it go. */
  readonly kill: () => void
}

/** Two streams that somebody else owns, such as a socket. A write to a peer that is gone is no error of ours. */
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
