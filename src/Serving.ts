import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type * as Stdio from "effect/Stdio"
import type { Config } from "./config/Config.ts"
import * as LazySessions from "./LazySessions.ts"
import { ExitDeadline } from "./process/ExitDeadline.ts"
import * as IdleRequests from "./router/IdleRequests.ts"
import * as EarlyRequests from "./router/EarlyRequests.ts"
import { RequestRouter } from "./router/RequestRouter.ts"
import type { SessionServices } from "./session/SessionServices.ts"
import { type Ending, Lifeline } from "./stdio/Lifeline.ts"
import * as LogFrames from "./stdio/LogFrames.ts"
import { StdinDecoder } from "./stdio/StdinDecoder.ts"
import { StdoutSink } from "./stdio/StdoutSink.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"

/** The layers between the pipe and the sessions, each of which can be replaced by another of the same service. */
export interface PipeLayers<LE = never> {
  /** What keeps the sidecar alive; the process itself, if absent. */
  readonly lifeline: Layer.Layer<Lifeline, LE, StdoutSink>
  readonly stdinDecoder: Layer.Layer<StdinDecoder, never, Stdio.Stdio | Config>
  readonly requestRouter: Layer.Layer<RequestRouter, never, StdinDecoder | StdoutSink>
  readonly stdoutSink: Layer.Layer<StdoutSink, never, Stdio.Stdio | Config>
}

/** The two ends of the pipe, what is read from one and written to the other, and Effect's log as frames. */
export const hostPipe = <LE = never>({
  lifeline = Lifeline.layer,
  requestRouter = RequestRouter.layer,
  stdinDecoder = StdinDecoder.layer,
  stdoutSink = StdoutSink.layer
}: Partial<PipeLayers<LE>> = {}) =>
  requestRouter.pipe(
    Layer.provide(stdinDecoder),
    Layer.provideMerge(Layer.merge(lifeline, LogFrames.layer)),
    Layer.provideMerge(stdoutSink)
  )

/**
 * Serves until the host, the process or a signal ends it. When it ends, the session ends first — turns are interrupted
 * and say so — then the database is closed, then a `shutdown` is answered; the pipe is flushed by its own layer.
 */
export const serve = <E extends { readonly message: string }, R>(services: Layer.Layer<SessionServices, E, R>) =>
  Effect.gen(function* () {
    const router = yield* RequestRouter
    const lifeline = yield* Lifeline
    const sessionsScope = yield* Effect.flatMap(Effect.scope, (scope) => Scope.fork(scope))
    const sessions = yield* LazySessions.make(services).pipe(
      Scope.provide(sessionsScope),
      Effect.provideService(ExitDeadline, { remainingMs: lifeline.remainingMs })
    )

    // A value, not a failure: the requests that wait for the sessions are answered all the same.
    const unusable = Effect.flip(sessions.unusable)
    const until = Effect.raceFirst(lifeline.ended, unusable)
    const handlers = { early: yield* EarlyRequests.make, idle: IdleRequests.handlers, sessions: sessions.handlers }
    const { handedOver, last, settled } = yield* router.serve(handlers, until)
    yield* lifeline.deadline(isEnding(last) ? last : { why: "the end of the input", lateExitCode: 0 })

    yield* handedOver
    yield* sessions.close
    yield* settled
    yield* Scope.close(sessionsScope, Exit.void)
    if ("_tag" in last && last._tag === "Shutdown") yield* last.reply.succeed({ ok: true })
    if ("_tag" in last && last._tag === "CannotHostSessions") return yield* last
  }).pipe(Effect.scoped, Effect.asVoid)

/**
 * The sidecar over the process's own pipe, or any other `Stdio`, with telemetry where that is turned on. Over another
 * `Stdio` it needs another lifeline too: `Lifeline.layerInProcess`.
 */
export const run = <E extends { readonly message: string }, R, LE = never>(
  services: Layer.Layer<SessionServices, E, R>,
  layers: Partial<PipeLayers<LE>> = {}
) => serve(services).pipe(Effect.provide(Layer.provideMerge(Telemetry.layer, hostPipe(layers))))

const isEnding = (last: unknown): last is Ending => typeof last === "object" && last !== null && "lateExitCode" in last
