import { resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Config } from "../config/Config.ts"
import { hideSecrets } from "../config/Secrets.ts"
import type { Settings } from "../config/Settings.ts"
import { newSession, type SessionHead } from "../domain/Session.ts"
import { visible } from "../domain/Transcript.ts"
import { LlamaClient, type ServerLoss, type ServerState } from "../llama/LlamaClient.ts"
import type { EventPayload } from "../protocol/Event.ts"
import { freshSessionId, SessionId } from "../protocol/Ids.ts"
import type { ListSessionsPayload, ListSessionsResult, StartSessionPayload } from "../protocol/Request.ts"
import type { SessionState } from "../protocol/SessionState.ts"
import { type SkillSummary, skillSummaries } from "../skills/SkillSummaries.ts"
import { SkillRegistry } from "../skills/SkillRegistry.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"
import { SessionStore, type StoredSession, type StoreError } from "../store/SessionStore.ts"
import { recover } from "./Recover.ts"
import { ModelStatus } from "./ModelStatus.ts"
import { SessionActor } from "./SessionActor.ts"
import { SessionLog } from "./SessionLog.ts"
import { NoActiveSession } from "./NoSession.ts"
import { PerSession } from "./PerSession.ts"
import { SessionPrompt } from "./SessionPrompt.ts"
import type { TurnRunner } from "./turn/TurnRunner.ts"
import * as SkillNotices from "./SkillNotices.ts"
import { systemPrompt } from "./SystemPrompt.ts"
import { unavailableHint } from "./UnavailableHint.ts"
import * as WorkingDir from "./WorkingDir.ts"

/** A session cannot be started; the message says what would have to be otherwise. */
export class CannotStart extends Schema.TaggedError<CannotStart>()("CannotStart", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The active session cannot be deleted. */
export class CannotDelete extends Schema.TaggedError<CannotDelete>()("CannotDelete", { sessionId: Schema.String }) {
  override get message() {
    return `session ${this.sessionId} is the active one and cannot be deleted`
  }
}

interface Active {
  readonly id: SessionId
  readonly scope: Scope.Closeable
  readonly actor: SessionActor["Service"]
  readonly log: SessionLog["Service"]
}

/** How long the first probe of the model may delay a session's start, in milliseconds (contract 5, `start_session`). */
const probePatienceMs = 3000

/** The one session that is active, and the lane in which sessions start and end, one at a time (contract 5). */
export class ActiveSession extends Context.Service<
  ActiveSession,
  {
    /** Ends the old session, then builds the new one. */
    start(payload: StartSessionPayload): Effect.Effect<SessionId, CannotStart>
    /** Makes a stored session the active one, by the rules of `start`. */
    resume(id: string): Effect.Effect<{ sessionId: SessionId; workingDir: string }, CannotStart>
    find(id: string): Effect.Effect<SessionActor["Service"], NoActiveSession>
    /** Where the active session works, if there is one. */
    readonly workingDir: Effect.Effect<string | undefined>
    /**
     * The live state of the active session, or, once a session has started in this process, a stored one's; or null.
     */
    state(id: string): Effect.Effect<SessionState | null>
    /** What is stored, newest first. */
    list(payload: ListSessionsPayload): Effect.Effect<ListSessionsResult, StoreError>
    /** Deletes a stored session; the active one cannot be. */
    remove(id: string): Effect.Effect<boolean, CannotDelete | StoreError>
    /** Ends the active session after the starts that were accepted before; nothing starts afterwards. */
    readonly close: Effect.Effect<void>
  }
>()("atomic-agent-sidecar/session/ActiveSession") {
  static readonly layer = Layer.effect(
    ActiveSession,
    Effect.gen(function* () {
      const config = yield* Config
      const sink = yield* StdoutSink
      const llama = yield* LlamaClient
      const registry = yield* SkillRegistry
      const store = yield* SessionStore
      const modelStatus = yield* ModelStatus
      const perSession = yield* PerSession
      const shared = yield* Effect.context<TurnRunner | SessionStore | StdoutSink>()
      const lane = yield* Semaphore.make(1)
      const layerScope = yield* Effect.scope
      const closing = Latch.makeUnsafe(false)
      let hasStarted = false
      let active: Active | undefined

      const end = Effect.suspend(() => {
        const ending = active
        // First of all: a message that arrives while its turns end would never be played.
        active = undefined
        return ending === undefined ? Effect.void : Scope.close(ending.scope, Exit.void)
      }).pipe(Effect.uninterruptible)

      const build = Effect.fn("ActiveSession.build")(function* (stored: StoredSession) {
        const { head } = stored
        const { child, probe, url } = llama
        if (child !== undefined) yield* child.start
        // The rest is built while the server thinks about its answer.
        const probing = yield* recover(
          "the model server cannot be probed",
          () => Effect.asSome(probe),
          Option.none()
        ).pipe(
          Effect.timeoutOrElse({ duration: probePatienceMs, orElse: () => Effect.succeedNone }),
          // The end of the sidecar must not wait for a server that does not answer.
          Effect.raceFirst(Effect.as(closing.await, Option.none<ServerState>())),
          Effect.forkChild
        )
        const skills = skillSummaries(
          yield* recover("the skills cannot be listed", () => registry.list(head.workingDir), [])
        )
        const system = yield* readPrompt(config, head, skills)
        const scope = yield* Scope.fork(layerScope)
        const prompt = { system, skills: SkillNotices.make(registry, skills, stored) }
        const context = yield* Layer.provideMerge(perSession.layer, Layer.fresh(SessionLog.layer(stored))).pipe(
          Layer.provide(Layer.succeed(SessionPrompt, prompt)),
          Layer.buildWithScope(scope),
          Effect.provideContext(shared)
        )
        const lost = (loss: ServerLoss) =>
          sink.emit({ type: "llm_unavailable", payload: { url, mode: "managed", ...loss } })
        const probed = yield* Fiber.join(probing)
        if (probed._tag === "Some" && probed.value.state === "unreachable" && config.localModels.mode === "external") {
          yield* sink.emit({ type: "llm_unavailable", payload: unavailable(config, probed.value) })
        }
        if (child !== undefined) yield* Effect.flatMap(Queue.clear(child.losses), Effect.forEach(lost))
        const id = SessionId.make(head.id)
        yield* sink.emit({ type: "session_started", payload: { sessionId: id, workingDir: head.workingDir } })
        if (Option.isSome(probed))
          yield* recover(
            "the state of the model server cannot be reported",
            () => modelStatus.report(probed.value),
            undefined
          )
        yield* Effect.forkIn(modelStatus.probing, scope)
        if (child !== undefined) {
          yield* Queue.take(child.losses).pipe(Effect.flatMap(lost), Effect.forever, Effect.forkIn(scope))
        }
        // Last: a host knows the id of a resumed session already and could send before `session_started` is written.
        active = { id, scope, actor: Context.get(context, SessionActor), log: Context.get(context, SessionLog) }
        hasStarted = true
        return id
      })

      const start = Effect.fn("ActiveSession.start")(function* (payload: StartSessionPayload) {
        const workingDir = resolve(payload.workingDir)
        yield* mustBeDirectory("payload.workingDir", workingDir, payload.workingDir)
        yield* end
        const now = yield* Clock.currentTimeMillis
        const head = newSession(freshSessionId(), workingDir, payload.metadata ?? {}, now)
        yield* recover("the session cannot be stored and goes on in memory", () => store.create(head), undefined)
        return yield* build({ head, history: [] })
      }, lane.withPermits(1))

      const resume = Effect.fn("ActiveSession.resume")(function* (id: string) {
        const own = active?.id === id ? active.log : undefined
        const stored =
          own ??
          (yield* store
            .load(SessionId.make(id))
            .pipe(Effect.mapError((error) => new CannotStart({ detail: error.message }))))
        if (stored === null) return yield* new CannotStart({ detail: `no stored session with id ${id}` })
        const { workingDir } = stored.head
        yield* mustBeDirectory(`session ${id}: workingDir`, workingDir, workingDir)
        yield* end
        // If it was the active one, its log now holds what the end of its turns has added.
        const sessionId = yield* build({ head: stored.head, history: stored.history })
        return { sessionId, workingDir }
      }, lane.withPermits(1))

      const find = (id: string) =>
        Effect.suspend(() =>
          active?.id === id ? Effect.succeed(active.actor) : Effect.fail(new NoActiveSession({ sessionId: id }))
        )

      const state = Effect.fn("ActiveSession.state")(function* (id: string) {
        if (active?.id === id) return active.log.state
        if (!hasStarted) return null
        const stored = yield* store.load(SessionId.make(id)).pipe(Effect.orElseSucceed(() => null))
        return stored === null ? null : { ...stored.head, turns: visible(stored.history) }
      })

      const list = Effect.fn("ActiveSession.list")(function* (payload: ListSessionsPayload) {
        const { limit, workingDir } = payload ?? {}
        const options = { limit: limit ?? 50, ...(workingDir == null ? {} : { workingDir: resolve(workingDir) }) }
        const sessions = yield* store.list(options)
        const live = active
        // Its row does not hold `awaiting_approval`, a status that lives in memory only.
        return { sessions: sessions.map((row) => (row.id === live?.id ? { ...row, status: live.log.status } : row)) }
      })

      const remove = Effect.fn("ActiveSession.remove")(function* (id: string) {
        if (active?.id === id) return yield* new CannotDelete({ sessionId: id })
        return yield* store.remove(SessionId.make(id))
        // A session that is ending would write itself again.
      }, lane.withPermits(1))

      // Keeps the permit: starts accepted from now on wait until their scope ends them.
      const close = Effect.suspend(() => {
        closing.openUnsafe()
        return Effect.andThen(lane.take(1), end)
      })

      const workingDir = Effect.sync(() => active?.log.workingDir)

      return ActiveSession.of({ start, resume, find, workingDir, state, list, remove, close })
    })
  )
}

const mustBeDirectory = (key: string, path: string, given: string) =>
  Effect.flatMap(WorkingDir.notADirectory(path), (instead) => {
    if (instead === undefined) return Effect.void
    const expected =
      instead === "nothing" ? `an existing directory, got ${given}` : `a directory, got the file ${given}`
    return Effect.fail(new CannotStart({ detail: `${key}: expected ${expected}` }))
  })

const readPrompt = (config: Settings, { createdAt, workingDir }: SessionHead, skills: ReadonlyArray<SkillSummary>) =>
  Effect.map(WorkingDir.readAgents(workingDir, config.stateDir), (agents) =>
    systemPrompt({
      workingDir,
      platform: process.platform,
      date: new Date(createdAt).toISOString().slice(0, 10),
      skills,
      // As in what tools read.
      agents: agents === undefined ? undefined : hideSecrets(config)(agents),
      instructions: config.agent.instructions
    })
  )

const unavailable = ({ stateDir }: Settings, state: ServerState): EventPayload<"llm_unavailable"> => ({
  url: state.url,
  error: state.detail ?? "unreachable",
  mode: "external",
  hint: unavailableHint(state, stateDir)
})
