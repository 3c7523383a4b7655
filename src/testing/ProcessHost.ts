import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import type { SidecarFrame, SidecarResponse } from "../protocol/Frame.ts"
import { check } from "./ContractChecker.ts"
import { type SentRequest, sentRequest } from "./ResponseChecker.ts"

export interface ProcessHostOptions {
  /** The program that is a sidecar, and its arguments. */
  readonly command: readonly [program: string, ...args: ReadonlyArray<string>]
  /** Its whole environment. */
  readonly env: NodeJS.ProcessEnv
  /** Its working directory; by default that of this process. */
  readonly cwd?: string | undefined
}

/** Nothing is waited for longer, in milliseconds: a hang becomes a failure with a message. */
const patienceMs = 20_000

/**
 * The host of a sidecar in a process of its own, for tests: it hides nothing. All that was read is kept, and the child is
 * there to be paused, cut off and killed. An app uses `SidecarHost` instead.
 */
export class ProcessHost {
  readonly child: ChildProcessWithoutNullStreams
  readonly frames: Array<SidecarFrame> = []
  readonly requests: Array<SentRequest> = []
  /** Lines on stdout that are no JSON: there must be none. */
  readonly noise: Array<string> = []
  stderr = ""
  /** Called with each frame as it is read. */
  onFrame: (frame: SidecarFrame) => void = () => {}
  readonly #closed: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  #unfinished: Array<string> = []
  #waiting = new Set<() => void>()

  constructor({ command: [program, ...args], cwd, env }: ProcessHostOptions) {
    this.child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] })
    this.child.stdin.on("error", () => {})
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text))
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text))
    this.#closed = once(this.child, "close").then(([code, signal]) => ({ code, signal }))
    void this.#closed.then(() => this.#wake())
  }

  /** Resolves when the process has ended and its pipes are closed; rejects if that takes too long. */
  get exited(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const failure = () => new Error(`the sidecar did not end; stderr: ${this.stderr.slice(-2000)}`)
    const timer = setTimeout(() => reject(failure()), patienceMs)
    return Promise.race([this.#closed, timeout]).finally(() => clearTimeout(timer))
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  /** The process has ended; its pipes may still hold something. */
  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** Resident memory in MiB, as the kernel counts it (Linux). */
  get residentMiB(): number {
    const status = Fs.readFileSync(`/proc/${this.pid}/status`, "utf8")
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }

  write(input: string | Uint8Array): void {
    this.child.stdin.write(input)
  }

  /** Sends a request; its id. */
  post(type: string, payload: unknown = {}): string {
    const id = `r${this.requests.length}`
    this.requests.push(sentRequest(id, type, payload))
    this.write(`${JSON.stringify({ kind: "request", id, type, payload })}\n`)
    return id
  }

  response(id: string): Promise<SidecarResponse> {
    return this.frame(
      `the response to ${id}`,
      (frame): frame is SidecarResponse => frame.kind === "response" && frame.correlationId === id
    )
  }

  request(type: string, payload: unknown = {}): Promise<SidecarResponse> {
    return this.response(this.post(type, payload))
  }

  /** Starts a session; its id. */
  async session(workingDir = "."): Promise<string> {
    const response = await this.request("start_session", { workingDir })
    if (!response.ok) throw new Error(JSON.stringify(response))
    return (response.payload as { sessionId: string }).sessionId
  }

  event(type: string, fits: (frame: any) => boolean = () => true): Promise<any> {
    return this.frame(
      `an event ${type}`,
      (frame): frame is SidecarFrame => frame.kind === "event" && frame.type === type && fits(frame)
    )
  }

  /** The first frame that fits, past or future. */
  async frame<F extends SidecarFrame>(what: string, fits: (frame: SidecarFrame) => frame is F): Promise<F> {
    let next = 0
    const find = () => {
      for (; next < this.frames.length; next++) {
        const frame = this.frames[next]!
        if (fits(frame)) return frame
      }
      return undefined
    }
    const timer = AbortSignal.timeout(patienceMs)
    while (true) {
      const frame = find()
      if (frame !== undefined) return frame
      if (timer.aborted || this.hasExited) {
        throw new Error(`${what} did not come; exit ${this.child.exitCode}, stderr: ${this.stderr.slice(-2000)}`)
      }
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve)
        timer.addEventListener("abort", () => resolve(), { once: true })
      })
    }
  }

  /** Ends the input and waits for the end. Rejects with all that was wrong by then, from the first frame on. */
  async end(): Promise<void> {
    this.child.stdin.end()
    const { code, signal } = await this.exited
    const wrong = [...(code === 0 ? [] : [`exit ${code ?? signal}`]), ...this.faults()]
    if (wrong.length > 0) throw new Error(wrong.join("\n"))
  }

  /** What is wrong with all that was read, after the end. */
  protected faults(): ReadonlyArray<string> {
    return [
      ...(this.stderr === "" ? [] : [`stderr: ${this.stderr}`]),
      ...this.noise.map((line) => `a line that is no JSON: ${line}`),
      ...check(this.frames, { requests: this.requests, ended: true }).map(({ at, rule }) => `frame ${at}: ${rule}`)
    ]
  }

  [Symbol.dispose](): void {
    this.child.kill("SIGKILL")
  }

  #read(text: string): void {
    const parts = text.split("\n")
    for (const [index, part] of parts.entries()) {
      this.#unfinished.push(part)
      if (index === parts.length - 1) continue
      const line = this.#unfinished.join("")
      this.#unfinished = []
      try {
        const frame: SidecarFrame = JSON.parse(line)
        this.frames.push(frame)
        this.onFrame(frame)
      } catch {
        this.noise.push(line)
      }
    }
    this.#wake()
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}
