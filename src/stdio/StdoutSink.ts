import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { Config } from "../config/Config.ts"
import { isDelta } from "../protocol/Delta.ts"
import type { EmittedEvent } from "../protocol/Event.ts"
import { eventExtensions } from "../protocol/EventTypes.ts"
import type { Extension } from "../protocol/Extension.ts"
import { Outbox } from "./Outbox.ts"
import { FairQueue } from "./FairQueue.ts"
import { frameBytes } from "./StdoutGuard.ts"

/** The size of one write in bytes: limited, so that deltas behind it can still be merged. */
const writeBytes = 64 * 1024

/**
 * The state of the writer. `idle`: no frame waits. `gathering`: frames wait for the next tick, so that the fiber that
 * emitted one can add to the same write. `writing`: it writes until none waits. `ending`: it writes what still waits
 * and ends. `broken`: the host's end of the pipe is gone, or everything is written.
 */
type WriterState = "idle" | "gathering" | "writing" | "ending" | "broken"

/** The only writer of stdout (contract 3). */
export class StdoutSink extends Context.Service<
  StdoutSink,
  {
    /** Sends an event to the host; suspends while more than `sidecar.outputBufferBytes` wait. */
    emit(event: EmittedEvent): Effect.Effect<void>
    /** As `emit`, for several events in a row, which wait for room only once. */
    emitAll(events: ReadonlyArray<EmittedEvent>): Effect.Effect<void>
    /**
     * Writes the line of a response, or an `error` about the input. These may use twice the buffer, so that requests
     * are carried out while turns are suspended. If that is full too, it suspends, and with it the reading of requests.
     */
    answer(line: string): Effect.Effect<void>
    /** Sends an event without waiting for room, for code that cannot suspend: a log line. */
    post(event: EmittedEvent): void
    /** Sends the events of exactly these extensions from now on; those of others are dropped (contract 9). */
    grant(extensions: ReadonlyArray<Extension>): void
    isGranted(extension: Extension): boolean
    /** Completes when the host's end of the pipe is broken: from then on frames are dropped and nothing waits. */
    readonly closed: Effect.Effect<void>
  }
>()("atomic-agent-sidecar/stdio/StdoutSink") {
  static readonly layer = Layer.effect(
    StdoutSink,
    Effect.gen(function* () {
      const stdio = yield* Stdio.Stdio
      const budget = (yield* Config).sidecar.outputBufferBytes
      const outbox = new Outbox()
      /** Open while the writer may take frames. */
      const mayWrite = Latch.makeUnsafe(false)
      const events = new FairQueue()
      const answers = new FairQueue()
      const broken = Latch.makeUnsafe(false)
      const granted = new Set<Extension>()
      let inFlight = 0
      let state: WriterState = "idle"

      const hasRoom = () => outbox.bytes + inFlight <= budget
      const hasRoomForAnswers = () => outbox.bytes + inFlight <= 2 * budget

      /** Lets in fibers that wait for room, and starts the writer if frames wait. */
      const settle = (atOnce = false) => {
        if (state === "broken") return
        // Responses first, so that no later event overtakes the end of what they answer.
        answers.letIn(hasRoomForAnswers)
        if (answers.isEmpty) events.letIn(hasRoom)
        if (state === "ending") mayWrite.openUnsafe()
        else if (outbox.isEmpty) {
          state = "idle"
          mayWrite.closeUnsafe()
        } else if (state === "idle") {
          state = "gathering"
          if (atOnce) write()
          else process.nextTick(write)
        }
      }

      const write = () => {
        if (state !== "gathering") return
        state = "writing"
        mayWrite.openUnsafe()
      }

      const take = Effect.suspend(() => {
        if (outbox.isEmpty) return Cause.done()
        const before = outbox.bytes
        const text = outbox.take(writeBytes)
        inFlight = before - outbox.bytes
        settle()
        return Effect.succeed([frameBytes(text)] as const)
      })

      const next = Effect.suspend(() => {
        inFlight = 0
        settle()
        return Effect.andThen(mayWrite.await, take)
      })

      const writer = yield* Stream.fromPull(Effect.succeed(next)).pipe(
        Stream.run(stdio.stdout({ endOnDone: false })),
        Effect.ignoreCause,
        Effect.ensuring(
          Effect.sync(() => {
            state = "broken"
            broken.openUnsafe()
            for (const line of [answers, events]) line.letIn(() => true)
          })
        ),
        Effect.forkScoped
      )

      // Everything that waits is written before the scope closes. The process's deadline limits how long that may take.
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => {
          if (state !== "broken") state = "ending"
          settle()
          return Fiber.await(writer)
        })
      )

      const isSent = ({ type }: EmittedEvent) => {
        const extension = eventExtensions[type]
        return state !== "broken" && (extension === undefined || granted.has(extension))
      }

      const post = (event: EmittedEvent) => {
        if (!isSent(event)) return
        outbox.offer(event)
        settle()
      }

      const put = (some: ReadonlyArray<EmittedEvent>) => {
        for (const event of some) if (isSent(event)) outbox.offer(event)
      }

      const emitAll = (some: ReadonlyArray<EmittedEvent>): Effect.Effect<void> =>
        Effect.suspend(() => {
          const mustWait = !hasRoom() || !events.isEmpty || !answers.isEmpty
          if (mustWait && some.some(isSent)) return events.wait(() => put(some))
          put(some)
          // A single token is written at once: the next one takes a while.
          settle(some.length === 1 && some.every(isDelta))
          return Effect.void
        })

      const answer = (line: string): Effect.Effect<void> =>
        Effect.suspend(() => {
          if (state === "broken") return Effect.void
          if (!hasRoomForAnswers() || !answers.isEmpty) return answers.wait(() => outbox.offerLine(line))
          outbox.offerLine(line)
          settle()
          return Effect.void
        })

      const grant = (extensions: ReadonlyArray<Extension>) => {
        granted.clear()
        for (const extension of extensions) granted.add(extension)
      }

      return StdoutSink.of({
        emit: (event) => emitAll([event]),
        emitAll,
        answer,
        post,
        grant,
        isGranted: (extension) => granted.has(extension),
        closed: broken.await
      })
    })
  )
}
