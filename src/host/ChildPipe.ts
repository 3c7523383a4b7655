import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as Path from "node:path"
import { PassThrough } from "node:stream"
import type { SidecarExit } from "./HostError.ts"
import type { Pipe } from "./Pipe.ts"

/** A command line, where it runs, and a callback for its stderr. */
export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly onStderr: (text: string) => void
}

/** How much of the end of stderr is kept for `SidecarExit.detail`, in characters. */
const stderrTailLength = 4096

/** How long the output of an exited child is read on, in milliseconds: a grandchild may keep it open. */
const outputAfterExitMs = 1000

/** How long a child may live after its output has ended, in milliseconds: a second more than contract 10 allows. */
const exitAfterOutputMs = 4000

const windows = process.platform === "win32"

/** Starts a sidecar as a child process. Its stderr is always read, so that the child never blocks on writing to it. */
export const spawnChild = ({ args, command, cwd, env, onStderr }: Command): Pipe => {
  let child: ChildProcessWithoutNullStreams
  try {
    child = spawn(command, args, {
      cwd,
      env,
      stdio: ["pipe", "pipe", "pipe"],
      // A process group of its own: what Ctrl-C in a terminal means is up to the host, and a wrapper between the host
      // and the sidecar is ended together with it. On Windows this would open a console.
      detached: !windows,
      windowsHide: true
    })
  } catch (error) {
    // Node throws some errors of the system and emits others. An argument of the wrong type is a bug of the caller.
    if (!isSystemError(error)) throw error
    return failedStart(startFailure(error, cwd))
  }
  let startError = ""
  child.on("error", (error) => {
    if (child.pid === undefined) startError = startFailure(error, cwd)
  })
  // When no file descriptors are left, Node returns a child without streams.
  if ((child.stdin as unknown) === undefined) return failedStart("too many open files to start it")

  const signal = (name: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(-child.pid, name)
    } catch {
      child.kill(name)
    }
  }
  const terminate = () => {
    // Windows has no signal that a process can handle: this would kill the sidecar and leave its children.
    if (!windows) signal("SIGTERM")
  }
  const kill = () => {
    if (!windows || child.pid === undefined) return signal("SIGKILL")
    spawn("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" }).on("error", () => child.kill())
  }

  const ended = new Promise<SidecarExit>((resolve) => {
    let stderrTail = ""
    let timer: NodeJS.Timeout | undefined
    child.stdin.on("error", () => {})
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderrTail = (stderrTail + text).slice(-stderrTailLength).replace(/^[\uDC00-\uDFFF]/, "")
      onStderr(text)
    })
    child.stdout.once("end", () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.stdin.end()
      timer ??= setTimeout(kill, exitAfterOutputMs)
    })
    child.once("exit", () => {
      clearTimeout(timer)
      const destroyOutput = () => {
        child.stdout.destroy()
        child.stderr.destroy()
      }
      // If this process was busy all that time, the immediate lets it first read what the child left in the pipe.
      timer = setTimeout(() => setImmediate(destroyOutput), outputAfterExitMs)
    })
    child.once("close", (code, by) => {
      clearTimeout(timer)
      // A child that could not be started "exits" with a negative error number of the operating system.
      const exitCode = code !== null && code < 0 ? null : code
      resolve({ exitCode, signal: by, detail: startError === "" ? stderrTail.trim() : startError })
    })
  })

  return { pid: child.pid, input: child.stdin, output: child.stdout, ended, terminate, kill }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && "syscall" in error

/** Why a child was not started. The system reports a missing folder as a missing program, so the folder is checked. */
const startFailure = ({ message }: Error, cwd: string | undefined): string =>
  cwd === undefined || existsSync(Path.join(cwd, ".", Path.sep)) ? message : `${message}: there is no folder ${cwd}`

/** The pipe of a child that was never started: it has ended, and its streams too. */
const failedStart = (detail: string): Pipe => ({
  pid: undefined,
  input: new PassThrough().end(),
  output: new PassThrough().end(),
  ended: Promise.resolve({ exitCode: null, signal: null, detail }),
  terminate: () => {},
  kill: () => {}
})
