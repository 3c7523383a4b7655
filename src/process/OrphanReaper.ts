/**
 * Ends process groups when this process is gone, however it went. At an orderly exit the signal is sent by us; after a
 * SIGKILL by a shell that waits for the end of a pipe which only we hold. Windows has neither: there a host puts the
 * sidecar into a job object that ends its members.
 */
import type { ChildProcessByStdio } from "node:child_process"
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { isTaken, pause, signal } from "./ProcessGroup.ts"

/** A guard that was ended is replaced so much later, in milliseconds: one that cannot live must not keep us busy. */
const replacedAfterMs = 100

/** How long the end waits for the guard to go by itself, in milliseconds. */
const leaveMs = 500

/**
 * Each line names all the groups that are to be ended once the pipe is: TERM, a second, KILL. Behind a `+` stands a
 * group whose leader is gone: where a process has its number, that number was given anew.
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

/** Watches over groups, each named by its leader, while its scope is open. Its process starts with the first of them. */
export class OrphanReaper {
  /** Whether the leader still runs, by group. */
  readonly #groups = new Map<number, boolean>()
  #process: ChildProcessByStdio<Writable, null, null> | undefined
  #replacement: NodeJS.Timeout | undefined

  /** From the moment that this returns the group does not survive us. */
  watch(group: number): void {
    if (this.#groups.size === 0) process.on("exit", this.#endAll)
    this.#groups.set(group, true)
    this.#tell()
  }

  /** The leader has ended, and others of its group run on. */
  leaderless(group: number): void {
    if (!this.#groups.has(group)) return
    this.#groups.set(group, false)
    this.#tell()
  }

  dismiss(group: number): void {
    if (!this.#groups.delete(group)) return
    if (this.#groups.size === 0) process.off("exit", this.#endAll)
    this.#tell()
  }

  /** Nothing is watched over any more, and the guard's process is gone. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    for (const group of this.#groups.keys()) this.dismiss(group)
    clearTimeout(this.#replacement)
    const guard = this.#process
    this.#process = undefined
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
    for (const [group, isLed] of this.#groups) if (isLed || !isTaken(group)) signal(group, "SIGKILL")
  }

  /** A pipe takes these few bytes at once, so they outlive us. */
  #tell(): void {
    if (process.platform === "win32") return
    if (this.#process === undefined && this.#groups.size > 0) this.#process = this.#post()
    const named = [...this.#groups].map(([group, isLed]) => (isLed ? group : `+${group}`))
    this.#process?.stdin.write(`${named.join(" ")}\n`)
  }

  #post() {
    const { spawn } = process.getBuiltinModule("node:child_process")
    // In a session of its own: what is sent to our group must not reach it.
    const guard = spawn("/bin/sh", ["-c", script, "sidecar-guard"], {
      cwd: "/",
      env: {},
      detached: true,
      stdio: ["pipe", "ignore", "ignore"]
    })
    const lost = () => {
      if (this.#process !== guard) return
      this.#process = undefined
      this.#replacement = setTimeout(() => this.#tell(), replacedAfterMs).unref()
    }
    guard.on("exit", lost).on("error", lost)
    guard.stdin.on("error", () => {})
    guard.unref()
    return guard
  }
}

export const make: Effect.Effect<OrphanReaper, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => new OrphanReaper()),
  (guard) => guard.close
)
