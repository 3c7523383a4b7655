import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StdoutGuard from "./StdoutGuard.ts"
import { StdoutSink } from "./StdoutSink.ts"

/** Why the process must end, and the exit code if it cannot do so in time. */
export interface Ending {
  readonly why: string
  readonly lateExitCode: number
}

/** How long an end may take, in milliseconds: contract 10 gives it three seconds, and the exit itself takes some of them. */
const graceMs = 2900

/** How often the parent is looked for, in milliseconds: it must be missed within the three seconds of contract 10. */
const parentWatchMs = 500

const signals = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const

/** What keeps the process alive: its host (contract 10). */
export class Lifeline extends Context.Service<
  Lifeline,
  {
    /** Ends when stdout breaks, the parent is gone, or a signal says so; the end of stdin is the router's to see. */
    readonly ended: Effect.Effect<Ending>
    /** From now on the process has 2.9 seconds; then it exits, whatever still waits. */
    deadline(ending: Ending): Effect.Effect<void>
    /** Milliseconds until then; `Infinity` while there is no deadline. */
    readonly remainingMs: Effect.Effect<number>
  }
>()("atomic-agent-sidecar/stdio/Lifeline") {
  /** For hosts in the same process: it ends with the broken output only. */
  static readonly layerInProcess = Layer.effect(
    Lifeline,
    Effect.gen(function* () {
      const sink = yield* StdoutSink
      return Lifeline.of({
        ended: Effect.as(sink.closed, brokenPipe),
        deadline: () => Effect.void,
        remainingMs: Effect.succeed(Infinity)
      })
    })
  )

  /** For a sidecar that is this process, over its own pipe: nothing but frames comes onto its stdout. */
  static readonly layer = Layer.effect(
    Lifeline,
    Effect.gen(function* () {
      const sink = yield* StdoutSink
      const signalled = Deferred.makeUnsafe<Ending>()
      let exitAt = Infinity

      for (const [signal, lateExitCode] of Object.entries(signals)) {
        const heard = () => Deferred.doneUnsafe(signalled, Effect.succeed({ why: signal, lateExitCode }))
        process.on(signal, heard)
        // A process that is on its way out keeps listening: a signal that nobody hears would kill it after its last words.
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            if (exitAt === Infinity) process.off(signal, heard)
          })
        )
      }

      // A pipe that breaks between two writes must not end the process with an exception.
      for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

      // What nobody caught is told and survived: the turns of a host do not die of a stray callback.
      const survive = (error: unknown) => {
        const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
        sink.post({ type: "log", payload: { level: "error", message: "uncaught exception", context: { stack } } })
      }
      for (const event of ["uncaughtException", "unhandledRejection"]) {
        process.on(event, survive)
        yield* Effect.addFinalizer(() => Effect.sync(() => process.off(event, survive)))
      }

      // With the input still open the process would not end by itself.
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
          // By then nothing waits to be written. Node's own way out takes ten milliseconds more, in which it hears no
          // signal and would die of one.
          process.once("exit", () => process.exit())
        })

      const remainingMs = Effect.sync(() => Math.max(0, exitAt - performance.now()))

      return Lifeline.of({ ended, deadline, remainingMs })
    })
  ).pipe(Layer.provide(StdoutGuard.layer))
}

const brokenPipe: Ending = { why: "stdout is broken", lateExitCode: 0 }
