import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StdoutGuard from "./StdoutGuard.ts"
import { StdoutSink } from "./StdoutSink.ts"

/** Why the process must end, and its exit code if it does not end in time. */
export interface Ending {
  readonly why: string
  readonly lateExitCode: number
}

/** The time to end in, in milliseconds: the three seconds of contract 10, without what the exit itself takes. */
const graceMs = 2900

/** Interval between checks for the parent, in milliseconds: the process must end within 3 s after it (contract 10). */
const parentWatchMs = 500

const signals = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const

/** Ends the process with its host (contract 10). */
export class Lifeline extends Context.Service<
  Lifeline,
  {
    /** Completes when stdout breaks, the parent is gone, or a signal arrives. The end of stdin is up to the router. */
    readonly ended: Effect.Effect<Ending>
    /** Starts the last 2.9 seconds of the process: then it exits, even if something still waits. */
    deadline(ending: Ending): Effect.Effect<void>
    /** Milliseconds until that exit; `Infinity` while there is no deadline. */
    readonly remainingMs: Effect.Effect<number>
  }
>()("atomic-agent-sidecar/stdio/Lifeline") {
  /** For hosts in the same process: only a broken output ends the sidecar, and a deadline does not end the process. */
  static readonly layerInProcess = Layer.effect(
    Lifeline,
    Effect.gen(function* () {
      const sink = yield* StdoutSink
      let endAt = Infinity
      return Lifeline.of({
        ended: Effect.as(sink.closed, brokenPipe),
        deadline: () => Effect.sync(() => void (endAt = performance.now() + graceMs)),
        remainingMs: Effect.sync(() => Math.max(0, endAt - performance.now()))
      })
    })
  )

  /** For a sidecar that is this process. Nothing but frames is written to its stdout (`StdoutGuard`). */
  static readonly layer = Layer.effect(
    Lifeline,
    Effect.gen(function* () {
      const sink = yield* StdoutSink
      const signalled = Deferred.makeUnsafe<Ending>()
      let exitAt = Infinity

      for (const [signal, lateExitCode] of Object.entries(signals)) {
        const onSignal = () => Deferred.doneUnsafe(signalled, Effect.succeed({ why: signal, lateExitCode }))
        process.on(signal, onSignal)
        // A process that is ending keeps its listeners: a signal without one would kill it with another exit code.
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            if (exitAt === Infinity) process.off(signal, onSignal)
          })
        )
      }

      // A pipe that breaks between two writes must not end the process with an exception.
      for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

      // An uncaught error is logged and does not end the process, so that a stray callback costs no turn.
      const survive = (error: unknown) => {
        const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
        sink.post({ type: "log", payload: { level: "error", message: "uncaught exception", context: { stack } } })
      }
      for (const event of ["uncaughtException", "unhandledRejection"]) {
        process.on(event, survive)
        yield* Effect.addFinalizer(() => Effect.sync(() => process.off(event, survive)))
      }

      // An open stdin would keep the process from ending.
      yield* Effect.addFinalizer(() => Effect.sync(() => process.stdin.destroy()))

      const parent = process.ppid
      const parentGone = Effect.as(
        Effect.suspend(() =>
          Effect.delay(
            Effect.sync(() => process.ppid === parent),
            parentWatchMs
          )
        ).pipe(Effect.repeat({ while: (there) => there })),
        { why: "the parent process is gone", lateExitCode: 0 }
      )

      const ended = Effect.raceAllFirst([Deferred.await(signalled), Effect.as(sink.closed, brokenPipe), parentGone])

      const deadline = ({ lateExitCode }: Ending) =>
        Effect.sync(() => {
          exitAt = performance.now() + graceMs
          setTimeout(() => process.exit(lateExitCode), graceMs).unref()
          // Nothing waits to be written at that point. Node's own exit takes another ten milliseconds without signal
          // handlers, in which a signal would kill the process.
          process.once("exit", () => process.exit())
        })

      const remainingMs = Effect.sync(() => Math.max(0, exitAt - performance.now()))

      return Lifeline.of({ ended, deadline, remainingMs })
    })
  ).pipe(Layer.provide(StdoutGuard.layer))
}

const brokenPipe: Ending = { why: "stdout is broken", lateExitCode: 0 }
