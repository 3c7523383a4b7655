/**
 * Ends process groups when this process is gone. At an orderly exit this process sends the signal itself; after a
 * SIGKILL a guard does, a shell that waits for the end of a pipe which only this process holds open. Windows has
 * neither: there a host puts the sidecar into a job object that ends its members.
 */
import type { ChildProcessByStdio } from "node:child_process"
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { pause, signal } from "./ProcessGroup.ts"
import { pidExists } from "./ProcessIdentity.ts"

/** In milliseconds. A guard that ended is replaced after this delay, so that one that always fails costs little. */
const replacedAfterMs = 100

/** How long `close` waits for the guard to exit by itself, in milliseconds. */
const leaveMs = 500

/**
 * The guard's script. Each line of its input lists all groups; when the input ends, those of the last line get TERM
 * and, after a second, KILL. A `+` marks a group whose leader has ended: if a process has that number now, the group is
 * gone and the number belongs to another process.
 */
const script = `trap "" HUP INT TERM
groups=
while read -r line; do groups=$line; done
theirs=
for each in $groups; do
  case $each in +*) kill -s 0 "\${each#+}" && continue ;; esac
  kill -s TERM -- "-\${each#+}" && theirs="$theirs \${each#+}"
done
[ -z "$theirs" ] || sleep 1
for each in $theirs; do kill -s KILL -- "-$each"; done`

/** Watches groups, each named by its leader, while its scope is open. The guard starts with the first of them. */
export class OrphanReaper {
  /** For each group, whether its leader still runs. */
  readonly #groups = new Map<number, boolean>()
  #guard: ChildProcessByStdio<Writable, null, null> | undefined
  #replacement: NodeJS.Timeout | undefined

  /** Once this returns, the group does not outlive this process. */
  watch(group: number): void {
    if (this.#groups.size === 0) process.on("exit", this.#endAll)
    this.#groups.set(group, true)
    this.#sendGroups()
  }

  /** The leader has ended, and other processes of its group go on. */
  leaderless(group: number): void {
    if (!this.#groups.has(group)) return
    this.#groups.set(group, false)
    this.#sendGroups()
  }

  dismiss(group: number): void {
    if (!this.#groups.delete(group)) return
    if (this.#groups.size === 0) process.off("exit", this.#endAll)
    this.#sendGroups()
  }

  /** Ends the watch over all groups, and the guard. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    for (const group of this.#groups.keys()) this.dismiss(group)
    clearTimeout(this.#replacement)
    const guard = this.#guard
    this.#guard = undefined
    if (guard === undefined || guard.exitCode !== null || guard.signalCode !== null) return Effect.void
    const gone = Effect.callback<void>((resume) => {
      guard.once("exit", () => resume(Effect.void))
      guard.stdin.end()
    })
    return Effect.raceFirst(
      gone,
      Effect.andThen(
        pause(leaveMs),
        Effect.sync(() => guard.kill("SIGKILL"))
      )
    )
  })

  readonly #endAll = () => {
    for (const [group, isLed] of this.#groups) if (isLed || !pidExists(group)) signal(group, "SIGKILL")
  }

  /** Writes the list of groups to the guard. The pipe takes these few bytes at once, so they reach it in any case. */
  #sendGroups(): void {
    if (process.platform === "win32") return
    if (this.#guard === undefined && this.#groups.size > 0) this.#guard = this.#startGuard()
    const groups = [...this.#groups].map(([group, isLed]) => (isLed ? group : `+${group}`))
    this.#guard?.stdin.write(`${groups.join(" ")}\n`)
  }

  #startGuard() {
    const { spawn } = process.getBuiltinModule("node:child_process")
    // In a session of its own, so that signals to this process's group do not reach it.
    const guard = spawn("/bin/sh", ["-c", script, "sidecar-guard"], {
      cwd: "/",
      env: {},
      detached: true,
      stdio: ["pipe", "ignore", "ignore"]
    })
    const lost = () => {
      if (this.#guard !== guard) return
      this.#guard = undefined
      this.#replacement = setTimeout(() => this.#sendGroups(), replacedAfterMs).unref()
    }
    guard.on("exit", lost).on("error", lost)
    guard.stdin.on("error", () => {})
    guard.unref()
    return guard
  }
}

export const make: Effect.Effect<OrphanReaper, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => new OrphanReaper()),
  (reaper) => reaper.close
)
