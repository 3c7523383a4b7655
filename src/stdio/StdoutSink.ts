import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { Config } from "../config/Config.ts"
import type { EmittedEvent } from "../protocol/Event.ts"
import { eventExtensions } from "../protocol/EventTypes.ts"
import type { Extension } from "../protocol/Extension.ts"
import { Outbox } from "./Outbox.ts"
import { FairQueue } from "./FairQueue.ts"

/** One write holds no more than this, in bytes, so that what waits behind it can still be merged. */
const writeBytes = 64 * 1024

/** The only writer of stdout (contract 3). */
export class StdoutSink extends Context.Service<
  StdoutSink,
  {
    /** Tells the host something; suspends while more than `sidecar.outputBufferBytes` wait. */
    emit(event: EmittedEvent): Effect.Effect<void>
    /** As `emit`, for events that belong together: they wait once. */
    emitAll(events: ReadonlyArray<EmittedEvent>): Effect.Effect<void>
    /**
     * Writes a frame that answers a request. It may take twice the budget, so that requests are read and carried out
     * while turns are suspended; only then does it suspend too, and with it the reading of requests.
     */
    answer(line: string): Effect.Effect<void>
    /** Tells something at once, from where nothing can wait: a log line. */
    post(event: EmittedEvent): void
    /** From now on the events of these extensions are sent; those of others are dropped (contract 9). */
    grant(extensions: ReadonlyArray<Extension>): void
    isGranted(extension: Extension): boolean
    /** Ends when the host's end of the pipe is broken: from then on frames are dropped and nobody waits. */
    readonly closed: Effect.Effect<void>
  }
>()("atomic-agent-sidecar/stdio/StdoutSink") {
  static readonly layer = Layer.effect(
    StdoutSink,
    Effect.gen(function* () {
      const stdio = yield* Stdio.Stdio
      const budget = (yield* Config).sidecar.outputBufferBytes
      const outbox = new Outbox()
      const filled = Latch.makeUnsafe(false)
      const events = new FairQueue()
      const answers = new FairQueue()
      const broken = Latch.makeUnsafe(false)
      const granted = new Set<Extension>()
      let inFlight = 0
      let isFilling = false
      let ending = false

      const hasRoom = () => outbox.bytes + inFlight <= budget
      const hasRoomForAnswers = () => outbox.bytes + inFlight <= 2 * budget

      const settle = (atOnce = false) => {
        if (broken.isOpen()) return
        // Answers first: the end of what they answer is never overtaken by what comes after it.
        answers.letIn(hasRoomForAnswers)
        if (answers.isEmpty) events.letIn(hasRoom)
        if (ending) filled.openUnsafe()
        else if (outbox.isEmpty) filled.closeUnsafe()
        else if (filled.isOpen() || isFilling) return
        else if (atOnce) filled.openUnsafe()
        else {
          isFilling = true
          // Whoever filled it may have more to say: one write for all of it, and none of it waits for the next event.
          process.nextTick(endFilling)
        }
      }

      const endFilling = () => {
        isFilling = false
        if (!outbox.isEmpty) filled.openUnsafe()
      }

      const take = Effect.suspend(() => {
        if (outbox.isEmpty) return Cause.done()
        const before = outbox.bytes
        const text = outbox.take(writeBytes)
        inFlight = before - outbox.bytes
        settle()
        return Effect.succeed([text] as const)
      })

      const next = Effect.suspend(() => {
        inFlight = 0
        settle()
        return Effect.andThen(filled.await, take)
      })

      const writer = yield* Stream.fromPull(Effect.succeed(next)).pipe(
        Stream.run(stdio.stdout({ endOnDone: false })),
        Effect.ignoreCause,
        Effect.ensuring(
          Effect.sync(() => {
            broken.openUnsafe()
            for (const line of [answers, events]) line.letIn(() => true)
          })
        ),
        Effect.forkScoped
      )

      // Ending is not flushing: what waits is written before the writer is let go. The life of the process bounds it.
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => {
          ending = true
          settle()
          return Fiber.await(writer)
        })
      )

      const isSent = ({ type }: EmittedEvent) => {
        const extension = eventExtensions[type]
        return !broken.isOpen() && (extension === undefined || granted.has(extension))
      }

      const post = (event: EmittedEvent) => {
        if (!isSent(event)) return
        outbox.offer(event)
        settle()
      }

      const put = (told: ReadonlyArray<EmittedEvent>) => {
        for (const event of told) if (isSent(event)) outbox.offer(event)
      }

      const emitAll = (told: ReadonlyArray<EmittedEvent>): Effect.Effect<void> =>
        Effect.suspend(() => {
          const mustWait = !hasRoom() || !events.isEmpty || !answers.isEmpty
          if (mustWait && told.some(isSent)) return events.wait(() => put(told))
          put(told)
          // A token comes alone: whoever told it waits for the next one.
          settle(told.length === 1 && isDelta(told[0]))
          return Effect.void
        })

      const answer = (line: string): Effect.Effect<void> =>
        Effect.suspend(() => {
          if (broken.isOpen()) return Effect.void
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

const isDelta = (event: EmittedEvent | undefined): boolean =>
  event?.type === "assistant_delta" || event?.type === "reasoning_delta"
