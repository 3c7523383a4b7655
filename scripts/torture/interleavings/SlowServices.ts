import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { withUpdate } from "../../../src/domain/Session.ts"
import { retryingStore } from "../../../src/store/RetryingStore.ts"
import { SessionStore, StoreError } from "../../../src/store/SessionStore.ts"
import type { StoredSession, StoredSessions } from "../../../src/store/StoredSessions.ts"
import { type InstalledSkill, SkillRegistry } from "../../../src/skills/SkillRegistry.ts"
import type { Plan } from "./Plan.ts"

/** A store in memory that is slow and fails as the plan says, behind what retries the real one's writes. */
export const slowStore = (plan: Pick<Plan, "delays" | "writes">): Layer.Layer<SessionStore> =>
  Layer.effect(
    SessionStore,
    Effect.suspend(() => retryingStore(failingStore(plan)))
  )

const failingStore = ({ delays, writes }: Pick<Plan, "delays" | "writes">): StoredSessions => {
  const stored = new Map<string, StoredSession>()
  const later = laterBy(waits(delays))
  let next = 0
  const write = (run: () => void): Effect.Effect<void, StoreError> =>
    Effect.suspend((): Effect.Effect<void, StoreError> => {
      switch (writes[next++ % writes.length]) {
        case "fails":
          return Effect.andThen(
            later(() => {}),
            new StoreError({ doing: "write", why: "the disk is full" })
          )
        case "dies":
          return Effect.andThen(
            later(() => {}),
            Effect.die(new TypeError("a bug in the store"))
          )
        default:
          return later(run)
      }
    })
  const put = (head: StoredSession["head"], added: StoredSession["history"]) =>
    stored.set(head.id, { head, history: [...(stored.get(head.id)?.history ?? []), ...added] })

  return {
    create: (head) => write(() => put(head, [])),
    commit: (head, added) => write(() => put(head, added)),
    load: (id) => later(() => stored.get(id) ?? null),
    list: ({ limit }) =>
      later(() =>
        [...stored.values()]
          .toReversed()
          .slice(0, limit)
          .map(({ head }) => ({ ...head, firstMessage: "" }))
      ),
    remove: (id) => later(() => stored.delete(id)),
    update: (id, change) =>
      later(() => {
        const known = stored.get(id)
        if (known !== undefined) stored.set(id, { ...known, head: withUpdate(known.head, change) })
        return known !== undefined
      }),
    // No run forks.
    fork: () => later(() => "no session")
  }
}

/** Skills that are only names, and slow too. */
export const slowSkills = (delays: ReadonlyArray<number>): Layer.Layer<SkillRegistry> =>
  Layer.sync(SkillRegistry, () => {
    const skills = new Map<string, InstalledSkill>()
    const later = laterBy(waits(delays))
    return SkillRegistry.of({
      list: () => later(() => [...skills.values()]),
      read: () => Effect.succeed("a skill"),
      install: (folder) =>
        later(() => {
          const name = "good-skill"
          const rest = { description: name, version: "1", requiresScripts: [], platforms: undefined }
          skills.set(name, { name, ...rest, source: "global", folder })
          return { name, installedAt: folder }
        }),
      uninstall: (name) => later(() => skills.delete(name))
    })
  })

/** Takes so many turns of the scheduler, one number after the other, over and over. */
export const waits = (delays: ReadonlyArray<number>): Effect.Effect<void> => {
  let next = 0
  return Effect.suspend(() => {
    const turns = delays[next++ % delays.length] ?? 0
    return turns === 0 ? Effect.void : Effect.repeat(Effect.yieldNow, { times: turns - 1 })
  })
}

/** What has begun is done, whoever is interrupted. */
const laterBy =
  (wait: Effect.Effect<void>) =>
  <A>(run: () => A): Effect.Effect<A> =>
    Effect.uninterruptible(Effect.andThen(wait, Effect.sync(run)))
