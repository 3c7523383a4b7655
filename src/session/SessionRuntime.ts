import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Deferred from "effect/Deferred"
import type { LlamaClient } from "../llama/LlamaClient.ts"
import type { SkillRegistry } from "../skills/SkillRegistry.ts"
import type { SessionStore } from "../store/SessionStore.ts"
import type { ApprovalGate } from "./ApprovalGate.ts"
import type { ModelStatus } from "./ModelStatus.ts"
import type { TurnRunner } from "./TurnRunner.ts"

/** What a session is made of. */
export type SessionServices = TurnRunner | ApprovalGate | ModelStatus | SessionStore | SkillRegistry | LlamaClient

/** The sidecar cannot host any session: a database of a newer version, say. It ends with exit code 78. */
export class RuntimeUnusable extends Schema.TaggedError<RuntimeUnusable>()("RuntimeUnusable", {
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/**
 * Database, model client and tools, built when the first session needs them: a host that only pings does not wait for
 * them.
 */
export class SessionRuntime extends Context.Service<
  SessionRuntime,
  {
    /** Builds them once; they live as long as this layer. */
    readonly services: Effect.Effect<Context.Context<SessionServices>, RuntimeUnusable>
    /** The same, if they have been built. */
    readonly built: Effect.Effect<Context.Context<SessionServices> | undefined>
    /** Fails when building them has failed. */
    readonly unusable: Effect.Effect<never, RuntimeUnusable>
  }
>()("atomic-agent-sidecar/session/SessionRuntime") {
  static readonly layer = <E extends { readonly message: string }, R>(services: Layer.Layer<SessionServices, E, R>) =>
    Layer.effect(
      SessionRuntime,
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const context = yield* Effect.context<R>()
        const unusable = Deferred.makeUnsafe<never, RuntimeUnusable>()
        let built: Context.Context<SessionServices> | undefined
        const build = yield* Effect.cached(
          Layer.buildWithScope(services, scope).pipe(
            Effect.provideContext(context),
            Effect.mapError((error) => new RuntimeUnusable({ detail: error.message })),
            Effect.tap((services) => Effect.sync(() => (built = services))),
            Effect.tapError((error) => Deferred.fail(unusable, error)),
            // What is half-built when a session start is given up must not poison the next one.
            Effect.uninterruptible
          )
        )
        return SessionRuntime.of({
          services: build,
          built: Effect.sync(() => built),
          unusable: Deferred.await(unusable)
        })
      })
    )
}
