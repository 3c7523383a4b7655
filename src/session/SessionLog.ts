import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type SessionHead, type SessionUpdate, withUpdate } from "../domain/Session.ts"
import { type Entry, visible } from "../domain/Transcript.ts"
import { SessionId } from "../protocol/Ids.ts"
import type { SessionState, SessionStatus } from "../protocol/SessionState.ts"
import { SessionStore, type StoredSession } from "../store/SessionStore.ts"

/** The fields of a session that a commit may change beside its history. */
export type HeadChange = Partial<
  Omit<SessionHead, "id" | "workingDir" | "createdAt" | "updatedAt" | keyof SessionUpdate>
>

/** An entry without its time: `commit` sets it. */
export type Undated<E extends Entry = Entry> = E extends Entry ? Omit<E, "at"> : never

/**
 * One session's memory: what it has committed, in the process and in the database alike. A failing database
 * is logged once, and the conversation goes on in memory.
 */
export class SessionLog extends Context.Service<
  SessionLog,
  {
    readonly sessionId: SessionId
    readonly workingDir: string
    /** The session as it is now; counts and status between two commits. */
    readonly head: SessionHead
    /** Everything committed, oldest first; it only grows. */
    readonly history: ReadonlyArray<Entry>
    /** The answer to `get_session`: nothing that a commit under way has not stored yet. */
    readonly state: SessionState
    /** The status that it shows. */
    readonly status: SessionStatus
    /** Changes counts or status in memory; the next commit stores it. */
    note(change: HeadChange): void
    /** Takes over what the host has changed and the store has stored. */
    update(change: SessionUpdate): void
    /**
     * Dates the entries and writes them with the head, in one transaction; writes nothing where there is nothing new.
     */
    commit(entries: ReadonlyArray<Undated>, change?: HeadChange): Effect.Effect<void>
  }
>()("atomic-agent-sidecar/session/SessionLog") {
  static readonly layer = (session: StoredSession) =>
    Layer.effect(
      SessionLog,
      Effect.gen(function* () {
        const store = yield* SessionStore
        let head = session.head
        let isNoted = false
        let failing = false
        const history: Array<Entry> = [...session.history]
        /**
         * What `get_session` shows. `head` and `history` run ahead of it: the next step must see what a commit has under
         * way, and a host must see nothing that a kill could take back.
         */
        let stored = { head, entries: history.length }

        const commit = Effect.fnUntraced(function* (entries: ReadonlyArray<Undated>, change?: HeadChange) {
          if (entries.length === 0 && !isNoted && !failing && (change === undefined || isKnown(change, head))) return
          isNoted = false
          const at = yield* Clock.currentTimeMillis
          const dated = entries.map((entry) => ({ ...entry, at }) as Entry)
          head = { ...head, ...change, updatedAt: at }
          history.push(...dated)
          const entriesBy = history.length
          yield* Effect.suspend(() => store.commit(head, dated)).pipe(
            Effect.tap(Effect.sync(() => (failing = false))),
            Effect.catchCause((cause) => {
              if (failing) return Effect.void
              failing = true
              return Effect.logError("the session cannot be stored and goes on in memory", cause)
            })
          )
          stored = { head: { ...stored.head, ...change, updatedAt: at }, entries: Math.max(stored.entries, entriesBy) }
        }, Effect.uninterruptible)

        return SessionLog.of({
          sessionId: SessionId.make(head.id),
          workingDir: head.workingDir,
          get head() {
            return head
          },
          history,
          get state() {
            return { ...stored.head, turns: visible(history.slice(0, stored.entries)) }
          },
          get status() {
            return stored.head.status
          },
          note(change) {
            head = { ...head, ...change }
            stored = { ...stored, head: { ...stored.head, ...change } }
            isNoted = true
          },
          update(change) {
            head = withUpdate(head, change)
            stored = { ...stored, head: withUpdate(stored.head, change) }
          },
          commit
        })
      })
    )
}

const isKnown = (change: HeadChange, head: SessionHead): boolean =>
  Object.entries(change).every(([key, value]) => Reflect.get(head, key) === value)
