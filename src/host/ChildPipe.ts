import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as Path from "node:path"
import { PassThrough } from "node:stream"
import type { SidecarExit } from "./HostError.ts"
import type { Pipe } from "./Pipe.ts"

export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly onStderr: (text: string) => void
}

/** How much of stderr is kept as last words, in characters. */
const lastWords = 4096

/** How long an exited child's output may stay open, in milliseconds: a grandchild may hold it. */
const lingerMs = 1000

/** How long a sidecar whose output has ended may live on, in milliseconds: a second more than contract 10 allows. */
const leaveMs = 4000

const windows = process.platform === "win32"

/** A sidecar as a child process. Its stderr is always read: nothing may block on it. */
export const spawnChild = ({ args, command, cwd, env, onStderr }: Command): Pipe => {
  let child: ChildProcessWithoutNullStreams
  try {
    child = spawn(command, args, {
      cwd,
      env,
      stdio: ["pipe", "pipe", "pipe"],
      // A process group of its own: a Ctrl-C in a terminal is the host's to interpret, and a wrapper between us and the
      // sidecar is ended with it. On Windows it would open a console.
      detached: !windows,
      windowsHide: true
    })
  } catch (error) {
    // Some of what the system refuses is thrown, the rest is an event. An argument of the wrong type is the caller's bug.
    if (!isSystemError(error)) throw error
    return neverStarted(inWords(error, cwd))
  }
  let failure = ""
  child.on("error", (error) => {
    if (child.pid === undefined) failure = inWords(error, cwd)
  })
  // Without file descriptors to spare there are no pipes either.
  if ((child.stdin as unknown) === undefined) return neverStarted("too many open files to start it")

  const signal = (name: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(-child.pid, name)
    } catch {
      child.kill(name)
    }
  }
  const terminate = () => {
    // Windows knows no asking: it would end the sidecar and leave its children.
    if (!windows) signal("SIGTERM")
  }
  const kill = () => {
    if (!windows || child.pid === undefined) return signal("SIGKILL")
    spawn("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" }).on("error", () => child.kill())
  }

  const ended = new Promise<SidecarExit>((resolve) => {
    let words = ""
    let overdue: NodeJS.Timeout | undefined
    child.stdin.on("error", () => {})
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-lastWords)
      onStderr(text)
    })
    child.stdout.once("end", () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.stdin.end()
      overdue ??= setTimeout(kill, leaveMs)
    })
    child.once("exit", () => {
      clearTimeout(overdue)
      const letGo = () => {
        child.stdout.destroy()
        child.stderr.destroy()
      }
      // Where we ourselves were busy all the while, what the child left in the pipe is read before the immediate.
      overdue = setTimeout(() => setImmediate(letGo), lingerMs)
    })
    child.once("close", (code, by) => {
      clearTimeout(overdue)
      // A child that could not be started "exits" with a negative number, the operating system's own.
      const exitCode = code !== null && code < 0 ? null : code
      resolve({ exitCode, signal: by, detail: failure === "" ? words.trim() : failure })
    })
  })

  return { pid: child.pid, input: child.stdin, output: child.stdout, ended, terminate, kill }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && "syscall" in error

/** Why it was not started; the system says the same of a program and of a folder that is not there. */
const inWords = ({ message }: Error, cwd: string | undefined): string =>
  cwd === undefined || existsSync(Path.join(cwd, ".", Path.sep)) ? message : `${message}: there is no folder ${cwd}`

/** A child that is over before it began. */
const neverStarted = (detail: string): Pipe => ({
  pid: undefined,
  input: new PassThrough().end(),
  output: new PassThrough().end(),
  ended: Promise.resolve({ exitCode: null, signal: null, detail }),
  terminate: () => {},
  kill: () => {}
})
