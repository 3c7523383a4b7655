import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { cutText } from "../domain/CutText.ts"
import { pause } from "../process/ProcessSession.ts"
import type { CallFeed } from "./Tool.ts"

/** What the events of one call may hold together, in bytes (contract 9, `tool_output`). */
const maxBytes = 1024 * 1024

/** How long the beginning of a line waits for its end, in milliseconds: a secret is not told in two halves. */
const lineMs = 200

/** Runs a command, and tells the host meanwhile what it prints. */
export const withLiveOutput = <A, E, R>(
  { callId, emit }: CallFeed,
  run: (print: (text: string) => void) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let printed = ""
    let left = maxBytes
    const isPrinted = Latch.makeUnsafe(false)

    const print = (text: string) => {
      if (printed.length >= left || text === "") return
      // While events wait for room in the output, what comes is put together.
      printed = cutText(printed + text, left)
      isPrinted.openUnsafe()
    }

    /** Sends the first characters of what was printed. Uninterruptible: what was sent is not sent again. */
    const send = (length: number) =>
      Effect.suspend(() => {
        const text = cutText(printed, length)
        if (text === "") return Effect.void
        return Effect.tap(emit({ type: "tool_output", payload: { callId, text } }), () =>
          Effect.sync(() => {
            printed = printed.slice(text.length)
            left -= Buffer.byteLength(text)
          })
        )
      }).pipe(Effect.uninterruptible)

    const sendLines = Effect.suspend(() => send(printed.search(/[\n\r][^\n\r]*$/) + 1))

    const pump = Effect.gen(function* () {
      for (;;) {
        yield* isPrinted.await
        isPrinted.closeUnsafe()
        yield* sendLines
        if (printed === "") continue
        yield* Effect.raceFirst(isPrinted.await, pause(lineMs))
        if (!isPrinted.isOpen()) yield* send(printed.length)
      }
    })

    return Effect.raceFirst(run(print), pump).pipe(Effect.tap(() => send(printed.length)))
  })
