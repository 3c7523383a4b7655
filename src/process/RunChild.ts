import type { ChildProcess } from "node:child_process"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { inWords } from "../files/FileErrors.ts"
import type { OutputCapture } from "./OutputCapture.ts"
import type { BackgroundGroups } from "./BackgroundGroups.ts"
import { pause } from "./ProcessSession.ts"
import { ShownOutput } from "./ShownOutput.ts"
import { type Refused, refuse } from "../files/Refused.ts"
import { isSystemError } from "../domain/SystemError.ts"

/** A program to run. */
export interface ChildRequest {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** On Windows: the arguments are already quoted for `cmd`. */
  readonly isQuoted?: boolean
  /** Absolute. */
  readonly cwd: string
  readonly env: { readonly [name: string]: string | undefined }
  readonly timeoutMs: number
  /** Per stream, of what is shown. */
  readonly maxOutputBytes: number
  /** Called with what the program prints, on either stream. */
  readonly onOutput?: (text: string) => void
}

/** The output of a program, as a terminal would show it, and how it ended. */
export interface ChildOutcome {
  readonly stdout: OutputCapture
  readonly stderr: OutputCapture
  readonly end:
    | { readonly _tag: "Exited"; readonly code: number }
    | { readonly _tag: "Killed"; readonly signal: string }
    | { readonly _tag: "TimedOut" }
}

/** How long output is read after the child has ended, in milliseconds: others may hold the pipe open. */
const drainMs = 250

/**
 * Runs a program in a process session of its own, its input closed. Ends when the program ends, even if other processes
 * of its session go on. On a timeout or an interruption the whole session is ended (runtime, Tools).
 */
export const runChild = (request: ChildRequest, groups: BackgroundGroups): Effect.Effect<ChildOutcome, Refused> =>
  Effect.acquireUseRelease(
    start(request, groups),
    ({ drained, ended, stderr, stdout }) =>
      Effect.gen(function* () {
        const timeout = Effect.as(Effect.sleep(request.timeoutMs), { _tag: "TimedOut" as const })
        const end = yield* Effect.raceFirst(Deferred.await(ended), timeout)
        if (end._tag !== "TimedOut") yield* drain(drained)
        return { stdout, stderr, end }
      }),
    ({ child, drained }, exit) => {
      const { pid } = child
      if (pid === undefined) return Effect.void
      const isTimedOut = Exit.isSuccess(exit) && exit.value.end._tag === "TimedOut"
      const isOver = Exit.isSuccess(exit) && !isTimedOut
      const ended = isOver ? Effect.sync(() => groups.ended(pid)) : groups.end(pid)
      // What is ended may still print.
      const ending = isTimedOut ? Effect.andThen(ended, drain(drained)) : ended
      return Effect.andThen(
        ending,
        Effect.sync(() => {
          child.stdout?.destroy()
          child.stderr?.destroy()
        })
      )
    }
  ).pipe(Effect.map(({ end, stderr, stdout }) => ({ end, stderr: stderr.end(), stdout: stdout.end() })))

const drain = (drained: Deferred.Deferred<void>) => Effect.raceFirst(Deferred.await(drained), pause(drainMs))

interface Running {
  readonly child: ChildProcess
  readonly stdout: ShownOutput
  readonly stderr: ShownOutput
  readonly ended: Deferred.Deferred<ChildOutcome["end"], Refused>
  /** Both streams have ended. */
  readonly drained: Deferred.Deferred<void>
}

/** Waits for a line that arrives once the session is watched; exits if the sidecar is gone before. */
const gate = `read -r atomic_agent_go && exec "$@" </dev/null`

const gated = ({ args, command }: ChildRequest): Pick<ChildRequest, "command" | "args"> =>
  process.platform === "win32" ? { command, args } : { command: "/bin/sh", args: ["-c", gate, "sh", command, ...args] }

const start = (request: ChildRequest, groups: BackgroundGroups): Effect.Effect<Running, Refused> =>
  Effect.suspend(() => {
    const { cwd, env, isQuoted = false, maxOutputBytes, onOutput = () => {} } = request
    const { args, command } = gated(request)
    const stdout = new ShownOutput(maxOutputBytes)
    const stderr = new ShownOutput(maxOutputBytes)
    const ended = Deferred.makeUnsafe<ChildOutcome["end"], Refused>()
    const drained = Deferred.makeUnsafe<void>()
    let child: ChildProcess
    try {
      child = process.getBuiltinModule("node:child_process").spawn(command, args, {
        cwd,
        env,
        detached: process.platform !== "win32",
        stdio: [process.platform === "win32" ? "ignore" : "pipe", "pipe", "pipe"],
        windowsHide: true,
        windowsVerbatimArguments: isQuoted
      })
    } catch (error) {
      if (isSystemError(error)) return Effect.fail(refuse(`the command could not be started: ${inWords(error)}`))
      throw error
    }
    child.stdout?.on("data", (bytes) => onOutput(stdout.push(bytes)))
    child.stderr?.on("data", (bytes) => onOutput(stderr.push(bytes)))
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {})
    child.once("error", (error) => {
      Deferred.doneUnsafe(ended, Effect.fail(refuse(`the command could not be started: ${error.message}`)))
    })
    child.once("exit", (code, signal) => {
      const end = code === null ? { _tag: "Killed" as const, signal: signal ?? "?" } : { _tag: "Exited" as const, code }
      Deferred.doneUnsafe(ended, Effect.succeed(end))
    })
    child.once("close", () => Deferred.doneUnsafe(drained, Effect.void))
    if (child.pid !== undefined) groups.started(child.pid)
    child.stdin?.end("\n")
    return Effect.succeed({ child, stdout, stderr, ended, drained })
  })
