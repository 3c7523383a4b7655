import { type ChildProcess, spawn } from "node:child_process"
import type { SidecarEvent } from "../../src/protocol/Event.ts"
import type { SidecarResponse } from "../../src/protocol/Frame.ts"
import type { RequestPayload, RequestType, ResponsePayload } from "../../src/protocol/Request.ts"

export interface ClientOptions {
  /** The bundled bin. */
  readonly bin: string
  readonly env: NodeJS.ProcessEnv
  readonly onEvent: (event: SidecarEvent) => void
}

/** A sidecar as a child process. */
export interface Client {
  /** Fails with the sidecar's own words, or with how it ended. */
  readonly request: <T extends RequestType>(type: T, payload: RequestPayload<T>) => Promise<ResponsePayload<T>>
  /** Settles when the process is gone; never fails. */
  readonly exited: Promise<number | null>
  /** Asks it to go, then makes it. */
  readonly close: () => Promise<void>
}

/** How long a sidecar may take to leave, in milliseconds: a second more than it promises. */
const leaveMs = 4000
const stderrTail = 4096

export const connect = ({ bin, env, onEvent }: ClientOptions): Client => {
  const child = spawn(process.execPath, [bin], {
    env,
    stdio: ["pipe", "pipe", "pipe"],
    // A process group of its own: a Ctrl-C in the terminal is the host's to interpret.
    detached: process.platform !== "win32"
  })
  const waiting = new Map<string, PromiseWithResolvers<unknown>>()
  const ended = Promise.withResolvers<number | null>()
  let count = 0
  let stderr = ""
  let reason: Error | undefined
  let configFault: string | undefined

  const onFrame = (frame: SidecarEvent | SidecarResponse) => {
    if (frame.kind === "event") {
      if (frame.type === "error" && frame.payload.code === "config_invalid") configFault = frame.payload.message
      return onEvent(frame)
    }
    const reply = waiting.get(frame.correlationId)
    waiting.delete(frame.correlationId)
    return frame.ok ? reply?.resolve(frame.payload) : reply?.reject(new Error(frame.error.message))
  }

  readLines(child, (line) => onFrame(JSON.parse(line)))
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-stderrTail)
  })
  // A write to a sidecar that has gone: its end is told by `close`.
  child.stdin.on("error", () => {})
  child.on("error", (error) => {
    stderr = error.message
  })
  child.on("close", (code, signal) => {
    const why = configFault ?? stderr.trim()
    reason = new Error(`the sidecar ended (${signal ?? `exit ${code}`})${why === "" ? "" : `: ${why}`}`)
    for (const reply of waiting.values()) reply.reject(reason)
    waiting.clear()
    ended.resolve(code)
  })

  const request = <T extends RequestType>(type: T, payload: RequestPayload<T>): Promise<ResponsePayload<T>> => {
    if (reason !== undefined) return Promise.reject(reason)
    const id = String(++count)
    const reply = Promise.withResolvers<unknown>()
    waiting.set(id, reply)
    child.stdin.write(`${JSON.stringify({ kind: "request", id, type, payload })}\n`)
    return reply.promise as Promise<ResponsePayload<T>>
  }

  const close = async () => {
    const timer = setTimeout(() => child.kill("SIGKILL"), leaveMs)
    await request("shutdown", {}).catch(() => {})
    child.stdin.end()
    await ended.promise
    clearTimeout(timer)
  }

  return { request, exited: ended.promise, close }
}

/** By hand, at LF only: `readline` ends a line at U+2028 too. */
const readLines = (child: ChildProcess, onLine: (line: string) => void) => {
  let rest = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) onLine(line)
  })
}
