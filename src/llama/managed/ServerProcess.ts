import type { ChildProcess } from "node:child_process"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as OrphanReaper from "../../process/OrphanReaper.ts"
import { signal } from "../../process/ProcessGroup.ts"
import type { ExitReport } from "./ExitReport.ts"
import type { ServerLog } from "./ServerLog.ts"
import { systemCode } from "../../domain/SystemError.ts"

export interface ServerLaunch {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string | undefined }
  /** Gets what it writes to stderr; `heard` is called whenever it has got something. */
  readonly log: ServerLog
  readonly heard: () => void
  /** Milliseconds from the first TERM to the second. */
  readonly patienceMs: Effect.Effect<number>
}

/** From the second TERM to KILL, in milliseconds: a server that hangs in its handler of the first heeds it at once. */
const secondTermMs = 250

/** How long what it wrote is still read after it has ended, in milliseconds: others may hold the pipe open. */
const drainMs = 250

/**
 * Runs the server in a process group of its own, until the scope closes: TERM, a while, TERM, KILL. It gets neither our
 * stdin nor our stdout. The result waits for its end.
 */
export const launch = (launch: ServerLaunch): Effect.Effect<Effect.Effect<ExitReport>, never, Scope.Scope> =>
  Effect.map(
    Effect.flatMap(OrphanReaper.make, (guard) =>
      Effect.acquireRelease(
        Effect.sync(() => start(launch, guard)),
        (running) => Effect.andThen(end(running, launch.patienceMs), Effect.sync(running.release))
      )
    ),
    ({ drained, ended }) =>
      Effect.tap(Deferred.await(ended), () => Effect.timeoutOption(Deferred.await(drained), drainMs)).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            launch.log.end()
            launch.heard()
          })
        ),
        Effect.map((end) => (end._tag === "Exited" ? { ...end, lastLines: launch.log.last } : end))
      )
  )

interface Running {
  /** Of the process and its group; undefined: there is none. */
  readonly pid: number | undefined
  readonly ended: Deferred.Deferred<ExitReport>
  /** Its stderr has ended. */
  readonly drained: Deferred.Deferred<void>
  readonly release: () => void
}

const start = ({ args, command, env, heard, log }: ServerLaunch, guard: OrphanReaper.OrphanReaper): Running => {
  const ended = Deferred.makeUnsafe<ExitReport>()
  const drained = Deferred.makeUnsafe<void>()
  const failed = (error: Error): Running => {
    Deferred.doneUnsafe(ended, Effect.succeed(notStarted(command, env["PATH"] ?? "", error)))
    Deferred.doneUnsafe(drained, Effect.void)
    return { pid: undefined, ended, drained, release: () => {} }
  }
  let child: ChildProcess
  try {
    child = process.getBuiltinModule("node:child_process").spawn(command, args, {
      env,
      detached: process.platform !== "win32",
      stdio: ["ignore", "ignore", "pipe"],
      windowsHide: true
    })
  } catch (error) {
    if (error instanceof Error) return failed(error)
    throw error
  }
  child.on("error", failed)
  const { pid, stderr } = child
  if (pid === undefined) return { pid, ended, drained, release: () => {} }
  guard.watch(pid)
  stderr?.on("data", (bytes: Uint8Array) => {
    log.push(bytes)
    heard()
  })
  stderr?.on("error", () => {})
  child.once("exit", (code, killedBy) => {
    Deferred.doneUnsafe(ended, Effect.succeed({ _tag: "Exited", code, signal: killedBy, lastLines: [] }))
  })
  child.once("close", () => Deferred.doneUnsafe(drained, Effect.void))
  const release = () => {
    // What a wrapper has left behind would hold the port.
    signal(pid, "SIGKILL")
    guard.dismiss(pid)
    stderr?.destroy()
  }
  return { pid, ended, drained, release }
}

const end = ({ ended, pid }: Running, patienceMs: Effect.Effect<number>) =>
  Effect.gen(function* () {
    if (pid === undefined) return
    const within = (ms: number) => Effect.timeoutOption(Deferred.await(ended), ms)
    const isOver = Deferred.isDone(ended)
    if (yield* isOver) return
    signal(pid, "SIGTERM")
    yield* within(yield* patienceMs)
    if (yield* isOver) return
    signal(pid, "SIGTERM")
    yield* within(secondTermMs)
    if (yield* isOver) return
    signal(pid, "SIGKILL")
    yield* within(secondTermMs)
  })

const notStarted = (command: string, path: string, error: Error): ExitReport =>
  systemCode(error) === "ENOENT"
    ? { _tag: "NotFound", command, path }
    : { _tag: "NotRunnable", command, why: error.message }
