import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Config } from "./config/Config.ts"
import type { SessionHandlers } from "./router/Handler.ts"
import type { SessionServices } from "./session/SessionServices.ts"
import type { StdoutSink } from "./stdio/StdoutSink.ts"

/** The sidecar cannot host any session: a database of a newer version, say. It ends with exit code 78. */
export class CannotHostSessions extends Schema.TaggedError<CannotHostSessions>()("CannotHostSessions", {
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** All that sessions need, once it is built. */
export interface LazySessions {
  /** Builds it the first time; it lives as long as the scope that it was made in. */
  readonly handlers: Effect.Effect<SessionHandlers, CannotHostSessions>
  /** Fails when building has failed. */
  readonly unusable: Effect.Effect<never, CannotHostSessions>
  /** Ends the active session, if anything was built. */
  readonly close: Effect.Effect<void>
}

/**
 * The one lazy build of the program: modules, database, model client, tools and the handlers of requests are loaded and
 * built with the first request that needs a session, so that a host that only pings does not wait for them.
 */
export const make = <E extends { readonly message: string }, R>(
  services: Layer.Layer<SessionServices, E, R>
): Effect.Effect<LazySessions, never, Scope.Scope | Config | StdoutSink | R> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* Effect.context<Config | StdoutSink | R>()
    const unusable = Deferred.makeUnsafe<never, CannotHostSessions>()
    let isAskedFor = false

    const build = Effect.gen(function* () {
      const [{ SessionRequests }, { SessionPool }] = yield* Effect.promise(() =>
        Promise.all([import("./router/SessionRequests.ts"), import("./session/pool/SessionPool.ts")])
      )
      const layer = SessionRequests.layer.pipe(Layer.provide(SessionPool.layer), Layer.provide(services))
      return Context.get(yield* Layer.buildWithScope(layer, scope), SessionRequests)
    }).pipe(
      Effect.provideContext(context),
      Effect.mapError((error) => new CannotHostSessions({ detail: error.message })),
      Effect.tapError((error) => Deferred.fail(unusable, error)),
      // What is half built when a request is given up must not poison the next one.
      Effect.uninterruptible
    )
    const sessions = yield* Effect.cached(build)

    return {
      handlers: Effect.suspend(() => {
        isAskedFor = true
        return Effect.map(sessions, ({ handlers }) => handlers)
      }),
      unusable: Deferred.await(unusable),
      close: Effect.suspend(() =>
        isAskedFor ? Effect.ignore(Effect.flatMap(sessions, ({ close }) => close)) : Effect.void
      )
    }
  })
