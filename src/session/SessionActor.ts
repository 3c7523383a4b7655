import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { monotonicMs } from "../domain/MonotonicTime.ts"
import type { EmittedEvent } from "../protocol/Event.ts"
import { freshTurnId } from "../protocol/Ids.ts"
import type { ListQueueResult, SendMessageResult } from "../protocol/Request.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"
import { SessionTools } from "../tools/SessionTools.ts"
import { SessionGrants } from "./grants/SessionGrants.ts"
import { SessionLog } from "./SessionLog.ts"
import { SessionOptions } from "./SessionOptions.ts"
import { SessionPrompt } from "./SessionPrompt.ts"
import * as Steering from "./Steering.ts"
import type { Turn } from "./turn/Turn.ts"
import { TurnQueue } from "./TurnQueue.ts"
import { TurnRunner } from "./turn/TurnRunner.ts"

/** How long a cancel waits for what it has ended, in milliseconds (contract 5). */
const cancelPatienceMs = 2000

/** The running turn. */
interface Running {
  readonly turn: Turn
  readonly fiber: Fiber.Fiber<void>
}

/** The fiber that plays one session's turns, one at a time. */
export class SessionActor extends Context.Service<
  SessionActor,
  {
    /**
     * Queues a turn; `answer` writes its response when it has ended. `maxSteps` is its step budget; undefined: that of the
     * options when it starts.
     */
    send(
      text: string,
      maxSteps: number | undefined,
      answer: (result: SendMessageResult) => Effect.Effect<void>
    ): Effect.Effect<void>
    /**
     * Offers a text to the running turn or, where none runs, to the one that starts next; false if no model call is left
     * that could read it. Never waits.
     */
    steer(text: string): boolean
    /** Ends the running turn and all queued ones, waits for that up to 2 s, and returns how many there were. */
    readonly cancel: Effect.Effect<number>
    /** The running turn and the waiting ones. */
    readonly queue: ListQueueResult
    /** Removes a waiting turn from the queue, which then ends `cancelled`; false if it does not wait. */
    unqueue(turnId: string): Effect.Effect<boolean>
  }
>()("atomic-agent-sidecar/session/SessionActor") {
  static readonly layer = Layer.effect(
    SessionActor,
    Effect.gen(function* () {
      const runner = yield* TurnRunner
      const log = yield* SessionLog
      const queue = yield* TurnQueue
      const sink = yield* StdoutSink
      const services = yield* Effect.context<never>()
      const tools = yield* SessionTools
      const options = yield* SessionOptions
      const session = { grants: yield* SessionGrants, log, options, tools, ...(yield* SessionPrompt) }
      /** Turns that are accepted and not answered yet: running, waiting or ending. */
      const open = new Set<Turn>()
      let running: Running | undefined

      /** Answers a turn whose own end has not: one that never started, or whose end has failed. */
      const endAs = (turn: Turn, reason: "cancelled" | "failed") =>
        Effect.suspend(() => {
          const { stepCount, turnCount } = log.head
          const undelivered = turn.steering.close().map((text): EmittedEvent => {
            return { type: "steer_undelivered", payload: { sessionId: log.sessionId, turnId: turn.id, text } }
          })
          return Effect.andThen(sink.emitAll(undelivered), turn.answer({ reason, turnCount, stepCount }))
        })

      /**
       * Takes the next turn out of the queue and starts its fiber in one synchronous step, so that a cancel finds it
       * in one place or the other.
       */
      const startNext = (): Effect.Effect<boolean> => {
        const turn = queue.next()
        if (turn === undefined) return Effect.succeed(false)
        if (turn.isCancelled) return Effect.as(endAs(turn, "cancelled"), true)
        const fiber = Effect.runForkWith(services)(Effect.suspend(() => runner.run(turn, session)))
        running = { turn, fiber }
        return Fiber.await(fiber).pipe(
          Effect.andThen(
            Effect.sync(() => {
              running = undefined
            })
          ),
          // If even the end of the turn has failed, at least its request is answered.
          Effect.andThen(endAs(turn, "failed")),
          Effect.as(true)
        )
      }

      const player = Effect.suspend(startNext).pipe(
        Effect.repeat({ while: (played) => played }),
        Effect.andThen(queue.doorbell),
        Effect.forever
      )
      yield* Effect.forkScoped(player)

      const send = (
        text: string,
        maxSteps: number | undefined,
        answer: (result: SendMessageResult) => Effect.Effect<void>
      ): Effect.Effect<void> =>
        Effect.map(monotonicMs, (now) => {
          const answered = Deferred.makeUnsafe<void>()
          const settled = Effect.sync(() => {
            open.delete(turn)
            Deferred.doneUnsafe(answered, Effect.void)
          })
          const turn: Turn = {
            id: freshTurnId(),
            text,
            acceptedAt: now,
            maxSteps,
            steering: Steering.make(),
            answer: (result) => {
              turn.endedAs ??= result.reason
              return Effect.ensuring(answer(result), settled)
            },
            answered,
            isCancelled: false,
            outOfTime: undefined,
            endedAs: undefined
          }
          open.add(turn)
          const position = queue.offer(turn) + (running === undefined ? 0 : 1)
          sink.post({ type: "turn_queued", payload: { sessionId: log.sessionId, turnId: turn.id, position } })
        })

      /**
       * Cancels all open turns in one synchronous step, so that turns sent afterwards are spared. Returns those that were
       * not cancelled before.
       */
      const endNow = (): ReadonlyArray<Turn> => {
        const fresh = [...open].filter((turn) => !turn.isCancelled)
        for (const turn of fresh) turn.isCancelled = true
        running?.turn.steering.refuse()
        running?.fiber.interruptUnsafe()
        return fresh
      }

      /** Waits until the open turns are answered and the background processes of their tools have ended. */
      const answers = () =>
        Effect.all(
          [
            Effect.forEach([...open], ({ answered }) => Deferred.await(answered), { discard: true }),
            tools.endBackground
          ],
          { concurrency: 2, discard: true }
        )

      const cancel = Effect.suspend(() => {
        const fresh = endNow()
        // A turn whose closing reply was sent before the cancel ended by itself and does not count.
        const ended = () => fresh.filter(({ endedAs }) => endedAs === undefined || endedAs === "cancelled").length
        return answers().pipe(Effect.timeoutOption(cancelPatienceMs), Effect.map(ended))
      })

      // The end of a session ends its turns, and waits until each has sent its last events and its response.
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => {
          endNow()
          return answers()
        })
      )

      const unqueue = (turnId: string) =>
        Effect.suspend(() => {
          const turn = queue.remove(turnId)
          return turn === undefined ? Effect.succeed(false) : Effect.as(endAs(turn, "cancelled"), true)
        })

      return SessionActor.of({
        send,
        steer: (text) => (running?.turn ?? queue.waiting[0])?.steering.offer(text) ?? false,
        cancel,
        get queue() {
          const ahead = running === undefined ? 0 : 1
          return {
            running: running?.turn.id ?? null,
            queued: queue.waiting.map(({ id, text }, index) => ({ turnId: id, text, position: index + ahead }))
          }
        },
        unqueue
      })
    })
  )
}
