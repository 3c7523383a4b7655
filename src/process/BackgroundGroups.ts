import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as OrphanReaper from "./OrphanReaper.ts"
import { isAlive, isTaken, terminate } from "./ProcessGroup.ts"

/**
 * The process groups of commands, each named by its leader, and watched over until nothing of it runs: those whose
 * command runs, and what commands that have ended left behind.
 */
export class BackgroundGroups {
  readonly #background = new Set<number>()
  readonly #guard: OrphanReaper.OrphanReaper

  constructor(guard: OrphanReaper.OrphanReaper) {
    this.#guard = guard
  }

  /** The command was started, and must not do anything before this returns. */
  started(group: number): void {
    this.#guard.watch(group)
  }

  /** The command has ended by itself; what it left behind runs on. */
  left(group: number): void {
    for (const each of this.#background) if (isTaken(each) || !isAlive(each)) this.#forget(each)
    this.#background.add(group)
    if (isAlive(group)) this.#guard.leaderless(group)
    else this.#forget(group)
  }

  /** Ends a command with its whole group. */
  end(group: number): Effect.Effect<void> {
    return Effect.ensuring(
      terminate(group),
      Effect.sync(() => this.#forget(group))
    )
  }

  /** Ends all that was left behind. */
  readonly endBackground: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach(
      [...this.#background],
      (group) => (isTaken(group) ? Effect.sync(() => this.#forget(group)) : this.end(group)),
      { concurrency: "unbounded", discard: true }
    )
  )

  #forget(group: number): void {
    this.#background.delete(group)
    this.#guard.dismiss(group)
  }
}

/** Ends what was left behind when its scope closes. */
export const make: Effect.Effect<BackgroundGroups, never, Scope.Scope> = Effect.flatMap(OrphanReaper.make, (guard) =>
  Effect.acquireRelease(
    Effect.sync(() => new BackgroundGroups(guard)),
    (groups) => groups.endBackground
  )
)
