import { resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { newSession } from "../../domain/Session.ts"
import { visible } from "../../domain/Transcript.ts"
import type { Grant } from "../../protocol/Grant.ts"
import { freshSessionId, SessionId } from "../../protocol/Ids.ts"
import type {
  ForkSessionPayload,
  GetSessionPayload,
  ListSessionsPayload,
  ListSessionsResult,
  ResumeSessionPayload,
  StartSessionPayload,
  UpdateSessionPayload
} from "../../protocol/Request.ts"
import type { OptionsInForce, SessionOptions } from "../../protocol/SessionOptions.ts"
import type { SessionState } from "../../protocol/SessionState.ts"
import { StdoutSink } from "../../stdio/StdoutSink.ts"
import { SessionStore, type StoredSession, type StoreError } from "../../store/SessionStore.ts"
import { CannotDelete, CannotSet } from "./CannotChange.ts"
import { CannotStart } from "./CannotStart.ts"
import { recover } from "../Recover.ts"
import { NoActiveSession, UnknownSession, WrongTurn } from "../NoSession.ts"
import * as OpenSession from "./OpenSession.ts"
import { HostTools } from "../HostTools.ts"
import { PerSession } from "../PerSession.ts"
import type { SessionActor } from "../SessionActor.ts"
import * as SessionLanes from "./SessionLanes.ts"
import { maxSessions } from "../SessionLimits.ts"
import type { SessionSetup } from "../SessionSetup.ts"
import { readSetup } from "./ReadSetup.ts"
import { mustBeDirectory } from "./RequireDirectory.ts"

/**
 * The sessions that are open. A session that starts ends the one before it (contract 5), unless the host has the extension
 * `parallel_sessions`: then it leaves the others alone (contract 9).
 */
export class SessionPool extends Context.Service<
  SessionPool,
  {
    /** Opens a new session. */
    start(payload: StartSessionPayload): Effect.Effect<SessionId, CannotStart>
    /** Opens a stored session, by the rules of `start`. */
    resume(payload: ResumeSessionPayload): Effect.Effect<{ sessionId: SessionId; workingDir: string }, CannotStart>
    find(id: string): Effect.Effect<SessionActor["Service"], NoActiveSession>
    /** Changes the options of an open session; all as they are in force then. */
    setOptions(id: string, options: SessionOptions): Effect.Effect<OptionsInForce, NoActiveSession | CannotSet>
    /** The grants of an open session. */
    listGrants(id: string): Effect.Effect<ReadonlyArray<Grant>, NoActiveSession>
    /** Takes a grant of a session back; false if it has no such grant or is not open. */
    revokeGrant(id: string, grant: Grant): Effect.Effect<boolean>
    /** Where the session works that was opened last, if there is one. */
    readonly workingDir: Effect.Effect<string | undefined>
    /**
     * The live state of an open session, or, once a session has started in this process, a stored one's; or null. Without
     * its title for a host that does not have the extension `sessions`.
     */
    state(payload: GetSessionPayload): Effect.Effect<SessionState | null, WrongTurn>
    /** What is stored, newest first. */
    list(payload: ListSessionsPayload): Effect.Effect<ListSessionsResult, StoreError>
    /** Deletes a stored session; one that is open cannot be. */
    remove(id: string): Effect.Effect<boolean, CannotDelete | StoreError>
    /** Changes title and metadata of a session, open or stored; false if there is none. */
    update(payload: UpdateSessionPayload): Effect.Effect<boolean, StoreError>
    /** Copies a session, open or stored, up to a turn that has ended. The copy is stored, not opened. */
    fork(payload: ForkSessionPayload): Effect.Effect<SessionId, UnknownSession | WrongTurn | StoreError>
    /** Ends an open session and waits for that; false if it is not open. */
    close(id: string): Effect.Effect<boolean>
    /** Ends all sessions after the starts that were accepted before; nothing starts afterwards. */
    readonly closeAll: Effect.Effect<void>
  }
>()("atomic-agent-sidecar/session/SessionPool") {
  static readonly layer = Layer.effect(
    SessionPool,
    Effect.gen(function* () {
      const sink = yield* StdoutSink
      const store = yield* SessionStore
      const { toolNames } = yield* PerSession
      const reader = { toolNames, hostTools: yield* HostTools }
      const closing = Latch.makeUnsafe(false)
      const open = yield* OpenSession.make(closing)
      const lanes = yield* SessionLanes.make
      /** By id, the one that was opened last at the end. */
      const sessions = new Map<string, OpenSession.OpenSession>()
      /** Sessions that are being opened. */
      let opening = 0
      let hasStarted = false

      const isParallel = () => sink.isGranted("parallel_sessions")

      /** Runs in the session's lane, or alone where only one may be open: its start ends all others. */
      const inLane =
        (id: string) =>
        <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
          Effect.suspend(() => (isParallel() ? lanes.of(id)(run) : lanes.alone(run)))

      const end = (id: string) =>
        Effect.suspend(() => {
          const session = sessions.get(id)
          // First of all: a message that arrives while its turns end would never be played.
          sessions.delete(id)
          return session === undefined ? Effect.succeed(false) : Effect.as(Scope.close(session.scope, Exit.void), true)
        }).pipe(Effect.uninterruptible)

      const endAll = Effect.suspend(() =>
        Effect.forEach([...sessions.keys()], end, { concurrency: "unbounded", discard: true })
      ).pipe(Effect.uninterruptible)

      /** Makes room for a session: ends those that are open, or counts them. */
      const takePlace = Effect.suspend(() => {
        if (isParallel() && sessions.size + opening >= maxSessions) {
          return Effect.fail(
            new CannotStart({ detail: `expected at most ${maxSessions} open sessions: close one first` })
          )
        }
        opening++
        return isParallel() ? Effect.void : endAll
      })

      const build = (stored: Effect.Effect<StoredSession>, setup: SessionSetup["Service"]) =>
        Effect.acquireUseRelease(
          takePlace,
          () =>
            Effect.gen(function* () {
              const session = yield* open(yield* stored, setup)
              // Last: a host knows the id of a resumed session already and could send before `session_started` is written.
              sessions.set(session.id, session)
              hasStarted = true
              return session.id
            }),
          () => Effect.sync(() => opening--)
        )

      const start = Effect.fn("SessionPool.start")(function* (payload: StartSessionPayload) {
        const workingDir = resolve(payload.workingDir)
        const id = freshSessionId()
        const run = Effect.gen(function* () {
          const setup = yield* readSetup(payload, reader)
          yield* mustBeDirectory("payload.workingDir", workingDir, payload.workingDir)
          return yield* build(
            Effect.gen(function* () {
              const head = newSession(id, workingDir, payload.metadata ?? {}, yield* Clock.currentTimeMillis)
              yield* recover("the session cannot be stored and goes on in memory", () => store.create(head), undefined)
              return { head, history: [] }
            }),
            setup
          )
        })
        return yield* inLane(id)(run)
      })

      const resume = Effect.fn("SessionPool.resume")(function* (payload: ResumeSessionPayload) {
        const id = payload.sessionId
        const run = Effect.gen(function* () {
          const setup = yield* readSetup(payload, reader)
          const own = sessions.get(id)?.log
          if (own !== undefined && isParallel()) return yield* new CannotStart({ detail: `session ${id} is open` })
          const stored =
            own ??
            (yield* store
              .load(SessionId.make(id))
              .pipe(Effect.mapError((error) => new CannotStart({ detail: error.message }))))
          if (stored === null) return yield* new CannotStart({ detail: `no stored session with id ${id}` })
          const { workingDir } = stored.head
          yield* mustBeDirectory(`session ${id}: workingDir`, workingDir, workingDir)
          // If it was open, its log now holds what the end of its turns has added.
          const sessionId = yield* build(
            Effect.sync(() => ({ head: stored.head, history: stored.history })),
            setup
          )
          return { sessionId, workingDir }
        })
        return yield* inLane(id)(run)
      })

      const opened = (id: string) =>
        Effect.suspend(() => {
          const session = sessions.get(id)
          return session === undefined ? Effect.fail(new NoActiveSession({ sessionId: id })) : Effect.succeed(session)
        })

      const find = (id: string) => Effect.map(opened(id), ({ actor }) => actor)

      const listGrants = (id: string) => Effect.map(opened(id), ({ grants }) => grants.all)

      const revokeGrant = (id: string, grant: Grant) =>
        Effect.sync(() => sessions.get(id)?.grants.revoke(grant) ?? false)

      const setOptions = Effect.fn("SessionPool.setOptions")(function* (id: string, options: SessionOptions) {
        const session = yield* opened(id)
        const fixed = (["disabledTools", "instructions"] as const).find((key) => options[key] !== undefined)
        if (fixed !== undefined) return yield* new CannotSet({ option: fixed })
        return session.options.change(options)
      })

      const known = Effect.fnUntraced(function* (id: string) {
        const session = sessions.get(id)
        if (session !== undefined) return session.log.state
        if (!hasStarted) return null
        const stored = yield* store.load(SessionId.make(id)).pipe(Effect.orElseSucceed(() => null))
        return stored === null ? null : { ...stored.head, turns: visible(stored.history) }
      })

      const state = Effect.fn("SessionPool.state")(function* ({ afterTurn, sessionId }: GetSessionPayload) {
        const found = yield* known(sessionId)
        if (found === null) return null
        const { title, turns, ...rest } = found
        const isShown = title !== undefined && sink.isGranted("sessions")
        const last = afterTurn == null ? -1 : turns.findLastIndex(({ turnId }) => turnId === afterTurn)
        if (afterTurn != null && last === -1) {
          return yield* new WrongTurn({ sessionId, turnId: afterTurn, isKnown: false })
        }
        return { ...rest, ...(isShown ? { title } : {}), turns: turns.slice(last + 1) }
      })

      const list = Effect.fn("SessionPool.list")(function* (payload: ListSessionsPayload) {
        const { limit, workingDir } = payload ?? {}
        const options = { limit: limit ?? 50, ...(workingDir == null ? {} : { workingDir: resolve(workingDir) }) }
        const rows = yield* store.list(options)
        // A row does not hold `awaiting_approval`, a status that lives in memory only.
        return { sessions: rows.map((row) => ({ ...row, status: sessions.get(row.id)?.log.status ?? row.status })) }
      })

      const remove = Effect.fn("SessionPool.remove")(function* (id: string) {
        const run = Effect.suspend((): Effect.Effect<boolean, CannotDelete | StoreError> =>
          sessions.has(id) ? Effect.fail(new CannotDelete({ sessionId: id })) : store.remove(SessionId.make(id))
        )
        // A session that is ending would write itself again.
        return yield* inLane(id)(run)
      })

      const update = Effect.fn("SessionPool.update")(
        function* ({ metadata, sessionId, title }: UpdateSessionPayload) {
          const change = {
            // As the database would store it.
            ...(title == null ? {} : { title: title.trim() === "" ? "" : title.toWellFormed() }),
            ...(metadata == null ? {} : { metadata })
          }
          const isKnown = yield* store.update(SessionId.make(sessionId), change)
          if (isKnown) sessions.get(sessionId)?.log.update(change)
          return isKnown
        },
        Effect.uninterruptible,
        (run, { sessionId }) => inLane(sessionId)(run)
      )

      const fork = Effect.fn("SessionPool.fork")(
        function* ({ sessionId, turnId }: ForkSessionPayload) {
          const [from, to] = [SessionId.make(sessionId), freshSessionId()]
          const at = yield* Clock.currentTimeMillis
          const forked = yield* store.fork({ from, to, at, ...(turnId == null ? {} : { upTo: turnId }) })
          if (forked === "forked") return to
          if (forked === "no session") return yield* new UnknownSession({ sessionId })
          return yield* new WrongTurn({ sessionId, turnId: turnId ?? "", isKnown: forked === "not ended" })
        },
        (run, { sessionId }) => inLane(sessionId)(run)
      )

      const close = (id: string) => lanes.of(id)(end(id))

      const closeAll = Effect.suspend(() => {
        closing.openUnsafe()
        return Effect.andThen(lanes.close, endAll)
      })

      const workingDir = Effect.sync(() => [...sessions.values()].at(-1)?.log.workingDir)

      return SessionPool.of({
        start,
        resume,
        find,
        setOptions,
        listGrants,
        revokeGrant,
        workingDir,
        state,
        list,
        remove,
        update,
        fork,
        close,
        closeAll
      })
    })
  )
}
