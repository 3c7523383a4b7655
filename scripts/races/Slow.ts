import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Entry } from "../../src/domain/Transcript.ts"
import type { SessionHead } from "../../src/domain/Session.ts"
import { SessionStore, StoreError } from "../../src/store/SessionStore.ts"
import { retryingStore } from "../../src/store/RetryingStore.ts"
import { type InstalledSkill, SkillRegistry } from "../../src/skills/SkillRegistry.ts"
import type { Plan } from "./Acts.ts"

/**
 * A store in memory that takes its time, so that others may come between, and fails where the plan says so; what it does not
 * take is kept as the real one's is.
 */
export const slowStore = (plan: Pick<Plan, "delays" | "writes">): Layer.Layer<SessionStore> =>
  Layer.effect(
    SessionStore,
    Effect.suspend(() => retryingStore(failingStore(plan)))
  )

const failingStore = ({ delays, writes }: Pick<Plan, "delays" | "writes">): SessionStore["Service"] => {
  const heads = new Map<string, SessionHead>()
  const entries = new Map<string, ReadonlyArray<Entry>>()
  const wait = waits(delays)
  const later = <A>(run: () => A) => Effect.uninterruptible(Effect.andThen(wait, Effect.sync(run)))
  let next = 0
  const write = (run: () => void): Effect.Effect<void, StoreError> =>
    Effect.suspend(() => {
      switch (writes[next++ % writes.length]) {
        case "fails":
          return Effect.andThen(wait, new StoreError({ doing: "write", why: "the disk is full" }))
        case "dies":
          return Effect.andThen(wait, Effect.die(new TypeError("a bug in the store")))
        default:
          return later(run)
      }
    })

  return SessionStore.of({
    create: (head) => write(() => void heads.set(head.id, head)),
    commit: (head, added) =>
      write(() => {
        heads.set(head.id, head)
        entries.set(head.id, [...(entries.get(head.id) ?? []), ...added])
      }),
    load: (id) =>
      later(() => {
        const head = heads.get(id)
        return head === undefined ? null : { head, history: entries.get(id) ?? [] }
      }),
    list: ({ limit }) =>
      later(() =>
        [...heads.values()]
          .toReversed()
          .slice(0, limit)
          .map((head) => ({ ...head, firstMessage: "" }))
      ),
    remove: (id) =>
      later(() => {
        entries.delete(id)
        return heads.delete(id)
      })
  })
}

/** Skills that are only names, and take their time too. */
export const slowSkills = (delays: ReadonlyArray<number>): Layer.Layer<SkillRegistry> =>
  Layer.sync(SkillRegistry, () => {
    const skills = new Map<string, InstalledSkill>()
    const wait = waits(delays)

    return SkillRegistry.of({
      list: () =>
        Effect.andThen(
          wait,
          Effect.sync(() => [...skills.values()])
        ),
      read: () => Effect.succeed("a skill"),
      install: (name) =>
        Effect.andThen(
          wait,
          Effect.sync(() => {
            const folder = `/skills/${name}`
            skills.set(name, {
              name,
              description: name,
              version: "1",
              requiresScripts: [],
              platforms: undefined,
              source: "global",
              folder
            })
            return { name, installedAt: folder }
          })
        ),
      uninstall: (name) =>
        Effect.andThen(
          wait,
          Effect.sync(() => skills.delete(name))
        )
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
