import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as OrphanReaper from "./OrphanReaper.ts"
import { isGroupAlive, terminate } from "./ProcessGroup.ts"
import { pidExists } from "./ProcessIdentity.ts"

/**
 * The process groups of commands, each named by the process number of its leader: those of running commands, and those
 * that go on in the background after their command has ended. Each is watched until none of its processes runs.
 */
export class BackgroundGroups {
  readonly #background = new Set<number>()
  readonly #reaper: OrphanReaper.OrphanReaper

  constructor(reaper: OrphanReaper.OrphanReaper) {
    this.#reaper = reaper
  }

  /** A command was started. It must not do anything before this returns. */
  started(group: number): void {
    this.#reaper.watch(group)
  }

  /** The command has ended by itself; other processes of its group may go on in the background. */
  ended(group: number): void {
    for (const each of this.#background) if (pidExists(each) || !isGroupAlive(each)) this.#forget(each)
    this.#background.add(group)
    if (isGroupAlive(group)) this.#reaper.leaderless(group)
    else this.#forget(group)
  }

  /** Ends a command with its whole group. */
  end(group: number): Effect.Effect<void> {
    return Effect.ensuring(
      terminate(group),
      Effect.sync(() => this.#forget(group))
    )
  }

  /** Ends all groups in the background that still exist. */
  readonly endBackground: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach(
      [...this.#background],
      (group) => (pidExists(group) ? Effect.sync(() => this.#forget(group)) : this.end(group)),
      { concurrency: "unbounded", discard: true }
    )
  )

  #forget(group: number): void {
    this.#background.delete(group)
    this.#reaper.dismiss(group)
  }
}

/** When its scope closes, the groups in the background are ended. */
export const make: Effect.Effect<BackgroundGroups, never, Scope.Scope> = Effect.flatMap(OrphanReaper.make, (reaper) =>
  Effect.acquireRelease(
    Effect.sync(() => new BackgroundGroups(reaper)),
    (groups) => groups.endBackground
  )
)
