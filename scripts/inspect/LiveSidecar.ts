import { spawn } from "node:child_process"
import { once } from "node:events"
import { LineReader } from "../../src/host/LineReader.ts"
import { type Crossing, crossing } from "./Entry.ts"

export interface LiveSidecarOptions {
  readonly bin: string
  readonly env: NodeJS.ProcessEnv
  /** Hears every line of both directions. While what it returns is pending, the sidecar is not read. */
  readonly onLine: (crossing: Crossing) => Promise<void> | undefined
}

export interface LiveSidecar {
  /** Writes a request; false where nobody reads it any more. */
  readonly post: (type: string, payload: unknown) => boolean
  readonly running: () => boolean
  /** Settles when it is gone and all that it wrote was heard. */
  readonly ended: Promise<void>
  /** Ends its input, which ends it; one that stays is killed. */
  readonly close: () => Promise<void>
}

const maxFrameBytes = 256 * 1024 * 1024
const maxUnreadBytes = 64 * 1024 * 1024

/** A second more than the sidecar promises to need. */
const leaveMs = 4000

/** A sidecar whose pipe is passed on as it is, in both directions. */
export const startSidecar = ({ bin, env, onLine }: LiveSidecarOptions): LiveSidecar => {
  const child = spawn(process.execPath, [bin], { env, stdio: ["pipe", "pipe", "pipe"] })
  const reader = new LineReader(maxFrameBytes)
  let requests = 0
  let over = false

  const receive = (line: string) => onLine(crossing("sidecar", line, Date.now()))
  child.stdin.on("error", () => {})
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = reader.read(chunk)
    if (lines === undefined) return void child.kill("SIGKILL")
    const waits = lines.map(receive).filter((wait) => wait !== undefined)
    if (waits.length === 0) return
    child.stdout.pause()
    void Promise.all(waits).then(() => child.stdout.resume())
  })
  // It is silent there, but for Node's own last words.
  child.stderr.setEncoding("utf8").on("data", (text: string) => void receive(text.trimEnd()))
  const failed = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      void receive(error.message)
      if (child.pid === undefined) resolve()
    })
  })
  const ended = Promise.race([once(child, "close"), failed]).then(() => {
    over = true
    const rest = reader.end()
    if (rest !== "") void receive(rest)
  })

  const running = () => !over && child.stdin.writable
  return {
    post: (type, payload) => {
      if (!running() || child.stdin.writableLength > maxUnreadBytes) return false
      requests += 1
      const line = JSON.stringify({ kind: "request", id: `inspector-${requests}`, type, payload })
      void onLine(crossing("host", line, Date.now()))
      child.stdin.write(`${line}\n`)
      return true
    },
    running,
    ended,
    close: async () => {
      child.stdin.end()
      const timer = setTimeout(() => child.kill("SIGKILL"), leaveMs)
      await ended
      clearTimeout(timer)
    }
  }
}
