import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Semaphore from "effect/Semaphore"
import { type SessionHead, type SessionUpdate, withUpdate } from "../domain/Session.ts"
import type { Entry } from "../domain/Transcript.ts"
import type { SessionId } from "../protocol/Ids.ts"
import type { Fork, StoredSession, StoredSessions } from "./StoredSessions.ts"
import { StoreError } from "./StoreError.ts"

/** Milliseconds between two attempts to write: with a locked database each attempt takes five seconds. */
const tryAgainAfter = 30_000

/** The longest that the last attempt may delay the end of the process, which has three seconds in all (contract 10). */
const lastTry = "1 second"

/**
 * A store whose writes do not fail. What the database refuses, or a defect prevents, is kept in memory, logged once as
 * an error, returned by `load`, and written with a later commit, or with a last attempt when its scope closes. Its
 * memory is bounded by the sessions of this process, which were in memory anyway.
 */
export const retryingStore = Effect.fnUntraced(function* (store: StoredSessions) {
  const unsaved = new Map<string, StoredSession>()
  let notBefore = 0
  const inOrder = Semaphore.makeUnsafe(1)

  const commit = Effect.fnUntraced(
    function* (current: SessionHead, entries: ReadonlyArray<Entry>) {
      const waiting = unsaved.get(current.id)
      const history = [...(waiting?.history ?? []), ...entries]
      // The caller's head may be older than an update.
      const head = waiting === undefined ? current : withUpdate(current, { title: "", ...updatable(waiting.head) })
      const now = yield* Clock.currentTimeMillis
      if (unsaved.size > 0 && now < notBefore) {
        unsaved.set(head.id, { head, history })
        return
      }
      yield* store.commit(head, history).pipe(
        Effect.andThen(Effect.sync(() => unsaved.delete(head.id))),
        Effect.catchCause((cause) => {
          const isLogged = unsaved.size > 0
          unsaved.set(head.id, { head, history })
          notBefore = now + tryAgainAfter
          return isLogged ? Effect.void : logFailure(cause)
        })
      )
    },
    inOrder.withPermit,
    Effect.uninterruptible
  )

  const create = (head: SessionHead) => commit(head, [])

  const load = Effect.fnUntraced(function* (id: SessionId) {
    const waiting = unsaved.get(id)
    if (waiting === undefined) return yield* store.load(id)
    const stored = yield* store.load(id).pipe(Effect.catchTag("StoreError", () => Effect.succeed(null)))
    return { head: waiting.head, history: [...(stored?.history ?? []), ...waiting.history] }
  })

  const remove = Effect.fnUntraced(function* (id: SessionId) {
    const waited = unsaved.delete(id)
    return (yield* store.remove(id)) || waited
  })

  const update = Effect.fnUntraced(
    function* (id: SessionId, change: SessionUpdate) {
      const isStored = yield* store.update(id, change)
      const waiting = unsaved.get(id)
      if (waiting !== undefined) unsaved.set(id, { ...waiting, head: withUpdate(waiting.head, change) })
      return isStored || waiting !== undefined
    },
    inOrder.withPermit,
    Effect.uninterruptible
  )

  const fork = Effect.fnUntraced(
    function* (fork: Fork) {
      const waiting = unsaved.get(fork.from)
      if (waiting !== undefined) {
        yield* store.commit(waiting.head, waiting.history)
        unsaved.delete(fork.from)
      }
      return yield* store.fork(fork)
    },
    inOrder.withPermit,
    Effect.uninterruptible
  )

  const writeAll = Effect.suspend(() =>
    Effect.forEach(
      [...unsaved.values()],
      ({ head, history }) =>
        store.commit(head, history).pipe(Effect.tap(Effect.sync(() => unsaved.delete(head.id))), Effect.ignoreCause),
      { discard: true }
    )
  ).pipe(inOrder.withPermit)

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      if (unsaved.size === 0) return
      // Forked: a commit is uninterruptible and may wait for a lock longer than the process has left.
      const writing = yield* Effect.forkDetach(writeAll)
      yield* Fiber.await(writing).pipe(Effect.interruptible, Effect.timeoutOption(lastTry))
    })
  )

  return { create, commit, load, list: store.list, remove, update, fork } satisfies StoredSessions
})

const updatable = ({ metadata, title }: SessionHead): SessionUpdate => ({
  metadata,
  ...(title === undefined ? {} : { title })
})

const logFailure = (cause: Cause.Cause<StoreError>) => {
  const error = Cause.squash(cause)
  return error instanceof StoreError
    ? Effect.logError(`${error.message}: the conversation goes on in memory`)
    : Effect.logError("the store died, and the conversation goes on in memory", cause)
}
