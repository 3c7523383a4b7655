import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** The two ends of a pipe without a process: what the host writes, and what it reads. */
export interface MemoryStdio {
  readonly stdio: Stdio.Stdio
  /** Bytes, or text as UTF-8, on the sidecar's stdin. */
  write(input: string | Uint8Array): void
  /** The end of the sidecar's stdin. */
  readonly end: Effect.Effect<void>
  /** Called with every write of the sidecar. */
  onOutput(listen: (text: string) => void): void
  /** Closed: the host does not read, and the sidecar's writes wait. */
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
