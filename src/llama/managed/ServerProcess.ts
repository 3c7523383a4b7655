import type { ChildProcess } from "node:child_process"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as OrphanReaper from "../../process/OrphanReaper.ts"
import { signal } from "../../process/ProcessSession.ts"
import type { ExitReport } from "./ExitReport.ts"
import type { ServerLog } from "./ServerLog.ts"
import { systemCode } from "../../domain/SystemError.ts"

/** What to run, and where its output goes. */
export interface ServerLaunch {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string | undefined }
  /** Gets the server's stderr; `onOutput` is called after each write to it. */
  readonly log: ServerLog
  readonly onOutput: () => void
  /** Milliseconds from the first TERM to the second. */
  readonly termGraceMs: Effect.Effect<number>
}

/** From the second TERM to KILL, in milliseconds. The second ends a server that hangs in its handler of the first. */
const secondTermMs = 250

/** How long stderr is read after the server's exit, in milliseconds: its own children may hold the pipe open. */
const drainMs = 250

/**
 * Runs the server in a process session of its own, until the scope closes: then TERM, TERM again and KILL. The server
 * does not get our stdin and stdout. The inner effect waits for its exit.
 */
export const launch = (launch: ServerLaunch): Effect.Effect<Effect.Effect<ExitReport>, never, Scope.Scope> =>
  Effect.map(
    Effect.flatMap(OrphanReaper.make, (reaper) =>
      Effect.acquireRelease(
        Effect.sync(() => start(launch, reaper)),
        (running) => Effect.andThen(end(running, launch.termGraceMs), Effect.sync(running.release))
      )
    ),
    ({ drained, ended }) =>
      Effect.tap(Deferred.await(ended), () => Effect.timeoutOption(Deferred.await(drained), drainMs)).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            launch.log.end()
            launch.onOutput()
          })
        ),
        Effect.map((end) => (end._tag === "Exited" ? { ...end, lastLines: launch.log.lastLines } : end))
      )
  )

interface Running {
  /** The id of the process and of its session; undefined: it was not started. */
  readonly pid: number | undefined
  readonly ended: Deferred.Deferred<ExitReport>
  /** Done when its stderr has ended. */
  readonly drained: Deferred.Deferred<void>
  readonly release: () => void
}

const start = ({ args, command, env, onOutput, log }: ServerLaunch, reaper: OrphanReaper.OrphanReaper): Running => {
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
  reaper.watch(pid)
  stderr?.on("data", (bytes: Uint8Array) => {
    log.push(bytes)
    onOutput()
  })
  stderr?.on("error", () => {})
  child.once("exit", (code, killedBy) => {
    Deferred.doneUnsafe(ended, Effect.succeed({ _tag: "Exited", code, signal: killedBy, lastLines: [] }))
  })
  child.once("close", () => Deferred.doneUnsafe(drained, Effect.void))
  const release = () => {
    // A child that a wrapper script left behind would keep the port.
    signal(pid, "SIGKILL")
    reaper.dismiss(pid)
    stderr?.destroy()
  }
  return { pid, ended, drained, release }
}

const end = ({ ended, pid }: Running, termGraceMs: Effect.Effect<number>) =>
  Effect.gen(function* () {
    if (pid === undefined) return
    const waitForExit = (ms: number) => Effect.timeoutOption(Deferred.await(ended), ms)
    const isOver = Deferred.isDone(ended)
    if (yield* isOver) return
    signal(pid, "SIGTERM")
    yield* waitForExit(yield* termGraceMs)
    if (yield* isOver) return
    signal(pid, "SIGTERM")
    yield* waitForExit(secondTermMs)
    if (yield* isOver) return
    signal(pid, "SIGKILL")
    yield* waitForExit(secondTermMs)
  })

const notStarted = (command: string, path: string, error: Error): ExitReport =>
  systemCode(error) === "ENOENT"
    ? { _tag: "NotFound", command, path }
    : { _tag: "NotRunnable", command, why: error.message }
