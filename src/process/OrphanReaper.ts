/**
 * Ends process sessions when this process is gone. At an orderly exit this process sends the signal itself; after a
 * SIGKILL a guard does, a shell that waits for the end of a pipe which only this process holds open. Windows has
 * neither: there a host puts the sidecar into a job object that ends its members.
 */
import type { ChildProcessByStdio } from "node:child_process"
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { pidExists } from "./ProcessIdentity.ts"
import { kill, pause } from "./ProcessSession.ts"
import { procStat } from "./ProcStat.ts"

/** In milliseconds. A guard that ended is replaced after this delay, so that one that always fails costs little. */
const replacedAfterMs = 100

/** How long `close` waits for the guard to exit by itself, in milliseconds. */
const leaveMs = 500

/**
 * The guard's script. Each line of its input lists all sessions as `LEADER:START`; when the input ends, those of the last
 * line get TERM and, after a second, KILL. A session is gone if a process with another start has the number of its
 * leader, since no process gets the number of a session that still has members. Names of programs, in `/proc/<pid>/stat`,
 * may contain line breaks.
 */
const script = `trap "" HUP INT TERM
sessions=
while read -r line; do sessions=$line; done
stat() {
  text= group= session= start=
  while read -r line; do text="$text $line"; done <"/proc/$1/stat"
  set -- \${text##*) }
  [ $# -ge 20 ] && group=$3 session=$4 start=\${20}
}
signal() {
  leaders=" " groups=" "
  for each in $sessions; do
    leader=\${each%:*} began=\${each#*:}
    if stat "$leader"; then [ "$start" = "$began" ] || continue
    elif [ -z "$began" ] && kill -s 0 "$leader"; then continue
    fi
    leaders="$leaders$leader " groups="$groups$leader "
  done
  for each in /proc/[0-9]*; do
    stat "\${each#/proc/}" || continue
    case $leaders in *" $session "*) ;; *) continue ;; esac
    case $groups in *" $group "*) ;; *) groups="$groups$group " ;; esac
  done
  sent=1
  for each in $groups; do kill -s "$1" -- "-$each" && sent=0; done
  return $sent
}
signal TERM || exit 0
sleep 1
signal KILL && signal KILL && signal KILL`

/** Watches process sessions, each named by its leader, while its scope is open. The guard starts with the first. */
export class OrphanReaper {
  /** For each leader, its start as in `/proc`, `?` without a `/proc`, and nothing once it has ended. */
  readonly #started = new Map<number, string>()
  #guard: ChildProcessByStdio<Writable, null, null> | undefined
  #replacement: NodeJS.Timeout | undefined

  /** Once this returns, the session does not outlive this process. */
  watch(leader: number): void {
    if (this.#started.size === 0) process.on("exit", this.#endAll)
    this.#started.set(leader, procStat(leader)?.startTicks ?? "?")
    this.#sendSessions()
  }

  /** The leader has ended; others of its session may go on. */
  leaderless(leader: number): void {
    if (!this.#started.has(leader)) return
    this.#started.set(leader, "")
    this.#sendSessions()
  }

  dismiss(leader: number): void {
    if (!this.#started.delete(leader)) return
    if (this.#started.size === 0) process.off("exit", this.#endAll)
    this.#sendSessions()
  }

  /** Ends the watch over all sessions, and the guard. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    for (const leader of this.#started.keys()) this.dismiss(leader)
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
    for (const [leader, started] of this.#started) if (started !== "" || !pidExists(leader)) kill(leader)
  }

  /** Writes the list of sessions to the guard. The pipe takes these few bytes at once, so they reach it in any case. */
  #sendSessions(): void {
    if (process.platform === "win32") return
    if (this.#guard === undefined && this.#started.size > 0) this.#guard = this.#startGuard()
    const sessions = [...this.#started].map(([leader, started]) => `${leader}:${started}`)
    this.#guard?.stdin.write(`${sessions.join(" ")}\n`)
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
      this.#replacement = setTimeout(() => this.#sendSessions(), replacedAfterMs).unref()
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
