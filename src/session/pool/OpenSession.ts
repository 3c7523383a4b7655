import { realpathSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import { Config } from "../../config/Config.ts"
import { hideSecrets } from "../../config/Secrets.ts"
import type { Settings } from "../../config/Settings.ts"
import type { SessionHead } from "../../domain/Session.ts"
import { LlamaClient, type ServerLoss, type ServerState } from "../../llama/LlamaClient.ts"
import type { EventPayload } from "../../protocol/Event.ts"
import { SessionId } from "../../protocol/Ids.ts"
import { type SkillSummary, skillSummaries } from "../../skills/SkillSummaries.ts"
import { SkillRegistry } from "../../skills/SkillRegistry.ts"
import { StdoutSink } from "../../stdio/StdoutSink.ts"
import type { SessionStore, StoredSession } from "../../store/SessionStore.ts"
import { homeDirectory } from "../../tools/Workspace.ts"
import { recover } from "../Recover.ts"
import { ModelStatus } from "../ModelStatus.ts"
import { PerSession } from "../PerSession.ts"
import { SessionActor } from "../SessionActor.ts"
import { SessionGrants } from "../grants/SessionGrants.ts"
import { SessionLog } from "../SessionLog.ts"
import { SessionOptions } from "../SessionOptions.ts"
import { SessionPrompt } from "../SessionPrompt.ts"
import { SessionSetup } from "../SessionSetup.ts"
import * as SkillNotices from "../SkillNotices.ts"
import { systemPrompt } from "../SystemPrompt.ts"
import type { TurnRunner } from "../turn/TurnRunner.ts"
import { unavailableHint } from "../UnavailableHint.ts"
import * as WorkingDir from "../WorkingDir.ts"

/** A session that takes messages. */
export interface OpenSession {
  readonly id: SessionId
  /** Closing it ends the session. */
  readonly scope: Scope.Closeable
  readonly actor: SessionActor["Service"]
  readonly log: SessionLog["Service"]
  readonly options: SessionOptions["Service"]
  readonly grants: SessionGrants["Service"]
}

/** How long the first probe of the model may delay a session's start, in milliseconds (contract 5, `start_session`). */
const probePatienceMs = 3000

/**
 * Opens stored sessions: probes the model, reads the skills, builds the session's own services and sends
 * `session_started`. Once `closing` is open, it does not wait for the model any more.
 */
export const make = Effect.fnUntraced(function* (closing: Latch.Latch) {
  const config = yield* Config
  const sink = yield* StdoutSink
  const llama = yield* LlamaClient
  const registry = yield* SkillRegistry
  const modelStatus = yield* ModelStatus
  const perSession = yield* PerSession
  const shared = yield* Effect.context<TurnRunner | SessionStore | StdoutSink>()
  const layerScope = yield* Effect.scope
  const home = realHome()
  let watchesModel = false

  const lost = (loss: ServerLoss) =>
    sink.emit({ type: "llm_unavailable", payload: { url: llama.url, mode: "managed", ...loss } })

  /** Tells the host of the model from the first session on: it is the same one for all. */
  const watchModel = Effect.suspend(() => {
    if (watchesModel) return Effect.void
    watchesModel = true
    const { child } = llama
    const losses = child === undefined ? Effect.void : Effect.forever(Effect.flatMap(Queue.take(child.losses), lost))
    return Effect.andThen(Effect.forkIn(modelStatus.probing, layerScope), Effect.forkIn(losses, layerScope))
  })

  /** Says that a server which the sidecar does not run cannot be reached. */
  const reportLoss = (state: ServerState) =>
    state.state === "unreachable" && config.localModels.mode === "external"
      ? sink.emit({ type: "llm_unavailable", payload: unavailable(config, state) })
      : Effect.void

  const reportState = (state: ServerState) =>
    recover("the state of the model server cannot be reported", () => modelStatus.report(state), undefined)

  return Effect.fn("OpenSession.open")(function* (stored: StoredSession, setup: SessionSetup["Service"]) {
    const { head } = stored
    const { child, probe } = llama
    if (child !== undefined) yield* child.start
    const scope = yield* Scope.fork(layerScope)
    // The rest is built while the server thinks about its answer.
    const probing = yield* recover("the model server cannot be probed", () => Effect.asSome(probe), Option.none()).pipe(
      Effect.forkIn(scope)
    )
    const skills = skillSummaries(
      yield* recover("the skills cannot be listed", () => registry.list(head.workingDir), [])
    )
    const options = SessionOptions.make(config, setup.options)
    const grants = SessionGrants.make(setup.grants, home)
    const system = yield* readPrompt(config, head, skills, options.current.instructions)
    const prompt = { system, skills: SkillNotices.make(registry, skills, stored) }
    const context = yield* Layer.provideMerge(perSession.layer, Layer.fresh(SessionLog.layer(stored))).pipe(
      Layer.provide(Layer.succeed(SessionPrompt, prompt)),
      Layer.provide(Layer.succeed(SessionOptions, options)),
      Layer.provide(Layer.succeed(SessionGrants, grants)),
      Layer.provide(Layer.succeed(SessionSetup, setup)),
      Layer.buildWithScope(scope),
      Effect.provideContext(shared)
    )
    const probed = yield* Fiber.join(probing).pipe(
      Effect.asSome,
      Effect.timeoutOrElse({ duration: probePatienceMs, orElse: () => Effect.succeedNone }),
      // The end of the sidecar must not wait for a server that does not answer.
      Effect.raceFirst(Effect.as(closing.await, Option.none()))
    )
    const found = Option.flatten(probed)
    if (Option.isSome(found)) yield* reportLoss(found.value)
    if (child !== undefined) yield* Effect.flatMap(Queue.clear(child.losses), Effect.forEach(lost))
    const id = SessionId.make(head.id)
    yield* sink.emit({ type: "session_started", payload: { sessionId: id, workingDir: head.workingDir } })
    if (Option.isSome(found)) yield* reportState(found.value)
    if (Option.isNone(probed)) {
      const late = Effect.flatMap(Fiber.join(probing), (answer) =>
        Option.isNone(answer) ? Effect.void : Effect.andThen(reportLoss(answer.value), reportState(answer.value))
      )
      yield* Effect.forkIn(late, scope)
    }
    yield* watchModel
    return {
      id,
      scope,
      options,
      grants,
      actor: Context.get(context, SessionActor),
      log: Context.get(context, SessionLog)
    }
  })
})

/** The real home directory; it is looked up once, at once. */
const realHome = (): string | undefined => {
  const home = homeDirectory()
  try {
    return home === undefined ? undefined : realpathSync(home)
  } catch {
    return home
  }
}

const readPrompt = (
  config: Settings,
  { createdAt, workingDir }: SessionHead,
  skills: ReadonlyArray<SkillSummary>,
  instructions: string | undefined
) =>
  Effect.map(WorkingDir.readAgents(workingDir, config.stateDir), (agents) =>
    systemPrompt({
      workingDir,
      platform: process.platform,
      date: new Date(createdAt).toISOString().slice(0, 10),
      skills,
      // As in what tools read.
      agents: agents === undefined ? undefined : hideSecrets(config)(agents),
      instructions
    })
  )

const unavailable = ({ stateDir }: Settings, state: ServerState): EventPayload<"llm_unavailable"> => ({
  url: state.url,
  error: state.detail ?? "unreachable",
  mode: "external",
  hint: unavailableHint(state, stateDir)
})
