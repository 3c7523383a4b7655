import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { ListQueueResult, SendMessageResult } from "../protocol/Request.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"
import { SessionLog } from "./SessionLog.ts"
import { SessionPrompt } from "./SessionPrompt.ts"
import * as Steering from "./Steering.ts"
import * as Turn from "./turn/Turn.ts"
import { toMillis } from "./turn/TurnContext.ts"
import { TurnQueue } from "./TurnQueue.ts"
import { TurnRunner } from "./turn/TurnRunner.ts"

/** How long a cancel waits for what it has ended, in milliseconds (contract 5). */
const cancelPatienceMs = 2000

/** The turn that is being played. */
interface Running {
  readonly turn: Turn.Turn
  readonly fiber: Fiber.Fiber<void>
  /** Closed by the turn when nothing is read any more. */
  readonly steering: Steering.Steering
}

/** The fiber that plays one session's turns, one at a time. */
export class SessionActor extends Context.Service<
  SessionActor,
  {
    /** Queues a turn; `answer` is its response, used when it has ended. */
    send(
      text: string,
      maxSteps: number,
      answer: (result: SendMessageResult) => Effect.Effect<void>
    ): Effect.Effect<void>
    /** Whether the running turn will read the text. Never waits. */
    steer(text: string): boolean
    /** Ends the running turn and all queued ones, and waits for it, 2 s at most; how many there were. */
    readonly cancel: Effect.Effect<number>
    /** What runs and what waits. */
    readonly queue: ListQueueResult
    /** Takes a waiting turn out of the queue: it ends `cancelled`. */
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
      const session = { log, ...(yield* SessionPrompt) }
      /** Accepted and not answered yet: running, waiting, or on the way out. */
      const open = new Set<Turn.Turn>()
      let running: Running | undefined

      const endAs = (turn: Turn.Turn, reason: "cancelled" | "failed") =>
        Effect.suspend(() => {
          const { stepCount, turnCount } = log.head
          return turn.answer({ reason, turnCount, stepCount })
        })

      /**
       * Takes the next turn out of the queue and starts its fiber in one synchronous step, so that a cancel finds it
       * in one place or the other.
       */
      const startNext = (): Effect.Effect<boolean> => {
        const turn = queue.next()
        if (turn === undefined) return Effect.succeed(false)
        if (turn.isCancelled) return Effect.as(endAs(turn, "cancelled"), true)
        const steering = Steering.make()
        const fiber = Effect.runForkWith(services)(Effect.suspend(() => runner.run(turn, session, steering)))
        running = { turn, fiber, steering }
        return Fiber.await(fiber).pipe(
          Effect.andThen(
            Effect.sync(() => {
              running = undefined
            })
          ),
          // Where even the turn's way out has failed, at least its request is answered.
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
        maxSteps: number,
        answer: (result: SendMessageResult) => Effect.Effect<void>
      ): Effect.Effect<void> =>
        Effect.map(Clock.monotonicTimeNanos, (now) => {
          const answered = Deferred.makeUnsafe<void>()
          const settled = Effect.sync(() => {
            open.delete(turn)
            Deferred.doneUnsafe(answered, Effect.void)
          })
          const turn = Turn.make(text, maxSteps, toMillis(now), answered, (result) => {
            turn.endedAs ??= result.reason
            return Effect.ensuring(answer(result), settled)
          })
          open.add(turn)
          const position = queue.offer(turn) + (running === undefined ? 0 : 1)
          sink.post({ type: "turn_queued", payload: { sessionId: log.sessionId, turnId: turn.id, position } })
        })

      /** In one synchronous step, so that what is sent afterwards is spared; those that were not being ended already. */
      const endNow = (): ReadonlyArray<Turn.Turn> => {
        const fresh = [...open].filter((turn) => !turn.isCancelled)
        for (const turn of fresh) turn.isCancelled = true
        running?.steering.refuse()
        running?.fiber.interruptUnsafe()
        return fresh
      }

      /** Waits for those that are open now, and for what their tools have left behind to go. */
      const answers = () =>
        Effect.all(
          [
            Effect.forEach([...open], ({ answered }) => Deferred.await(answered), { discard: true }),
            runner.endBackground
          ],
          { concurrency: 2, discard: true }
        )

      const cancel = Effect.suspend(() => {
        const fresh = endNow()
        // A turn whose closing reply had been told has ended by itself.
        const ended = () => fresh.filter(({ endedAs }) => endedAs === undefined || endedAs === "cancelled").length
        return answers().pipe(Effect.timeoutOption(cancelPatienceMs), Effect.map(ended))
      })

      // A session that ends takes its turns with it, and waits until they have said so.
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
        steer: (text) => running?.steering.offer(text) ?? false,
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
