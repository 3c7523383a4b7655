import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { OrphanReaper } from "./OrphanReaper.ts"
import { pidExists } from "./ProcessIdentity.ts"
import { isRunning, terminate } from "./ProcessSession.ts"

/** How long after the end of a command the list of those in the background is cleared, in milliseconds. */
const sweptAfterMs = 250

/**
 * The process groups of commands, those of each named by the leader of its process session: of running commands, and
 * those that go on in the background after their command has ended. Each is watched until none of its processes runs.
 */
export class BackgroundGroups {
  readonly #background = new Set<number>()
  readonly #reaper: OrphanReaper
  #sweep: NodeJS.Timeout | undefined

  constructor(reaper: OrphanReaper) {
    this.#reaper = reaper
  }

  /** A command was started. It must not do anything before this returns. */
  started(leader: number): void {
    this.#reaper.watch(leader)
  }

  /**
   * The command has ended by itself; other processes of its session may go on in the background. Whether any does is
   * looked up later: the list of all processes takes milliseconds to read, and a result would wait for it.
   */
  ended(leader: number): void {
    this.#background.add(leader)
    this.#reaper.leaderless(leader)
    clearTimeout(this.#sweep)
    this.#sweep = setTimeout(() => {
      for (const each of this.#background) if (pidExists(each) || !isRunning(each)) this.#forget(each)
    }, sweptAfterMs).unref()
  }

  /** Ends a command with everything in its session. */
  end(leader: number): Effect.Effect<void> {
    return Effect.ensuring(
      terminate(leader),
      Effect.sync(() => this.#forget(leader))
    )
  }

  /** Ends everything in the background that still runs. */
  readonly endBackground: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach(
      [...this.#background],
      (leader) => (pidExists(leader) ? Effect.sync(() => this.#forget(leader)) : this.end(leader)),
      { concurrency: "unbounded", discard: true }
    )
  )

  #forget(leader: number): void {
    this.#background.delete(leader)
    this.#reaper.dismiss(leader)
  }
}

/** When its scope closes, everything in the background is ended. */
export const make = (reaper: OrphanReaper): Effect.Effect<BackgroundGroups, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new BackgroundGroups(reaper)),
    (groups) => groups.endBackground
  )
