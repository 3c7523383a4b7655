import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** The standard streams of a sidecar in the same process, with the host's end of them. */
export interface MemoryStdio {
  readonly stdio: Stdio.Stdio
  /** Writes bytes, or text as UTF-8, to the sidecar's stdin. */
  write(input: string | Uint8Array): void
  /** Ends the sidecar's stdin. */
  readonly end: Effect.Effect<void>
  /** Calls `listen` with each write of the sidecar. */
  onOutput(listen: (text: string) => void): void
  /** While it is closed the host does not read, and the sidecar's writes wait. */
  readonly reading: Latch.Latch
}

export const make: Effect.Effect<MemoryStdio> = Effect.gen(function* () {
  const input = yield* Queue.make<Uint8Array, Cause.Done>()
  const reading = Latch.makeUnsafe(true)
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const listeners: Array<(text: string) => void> = []

  const stdio = Stdio.make({
    args: Effect.succeed([]),
    stdin: Stream.fromQueue(input),
    stdout: () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.andThen(
          reading.await,
          Effect.sync(() => {
            const text = typeof chunk === "string" ? chunk : decoder.decode(chunk)
            for (const listen of listeners) listen(text)
          })
        )
      ),
    stderr: () => Sink.drain
  })

  return {
    stdio,
    write: (bytes) => {
      Queue.offerUnsafe(input, typeof bytes === "string" ? encoder.encode(bytes) : bytes)
    },
    end: Effect.asVoid(Queue.end(input)),
    onOutput: (listen) => void listeners.push(listen),
    reading
  }
})
