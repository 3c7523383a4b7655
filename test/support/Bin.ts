import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert } from "@effect/vitest"
import type { SidecarFrame, SidecarResponse } from "../../src/protocol/Frame.ts"
import { check } from "../../src/testing/ContractChecker.ts"
import { awaitedPromise, patienceMs } from "./Patience.ts"
import { faultsOf } from "./Schema.ts"

export const root = Path.resolve(import.meta.dirname, "../..")
export const binPath = Path.join(root, "dist/sidecar/main.js")

/** What is tested as the sidecar: the bin, or where this names it the executable (`npm run test:binary`). */
const executable = process.env["SIDECAR_EXECUTABLE"]

/** Starts the sidecar. */
export const command: readonly [string, ...ReadonlyArray<string>] =
  executable === undefined ? [process.execPath, binPath] : [executable]

/** The command for a shell. */
export const shellCommand = command.map((word) => `'${word}'`).join(" ")

/** A fresh state directory with a config file in it; gone with the test. */
export class StateDir {
  readonly path = Fs.mkdtempSync(Path.join(Os.tmpdir(), "sidecar-state-"))

  constructor(config: object = {}) {
    Fs.writeFileSync(Path.join(this.path, "config.json"), JSON.stringify(config))
  }

  [Symbol.dispose](): void {
    Fs.rmSync(this.path, { recursive: true, force: true })
  }
}

/** The real sidecar at the other end of a real pipe. */
export class Bin {
  readonly child: ChildProcessWithoutNullStreams
  readonly frames: Array<SidecarFrame> = []
  readonly requests: Array<{ id: string; type: string }> = []
  /** Lines that were no JSON: there must be none. */
  readonly noise: Array<string> = []
  stderr = ""
  bytes = 0
  /** Told of each frame as it is read. */
  onFrame: (frame: SidecarFrame) => void = () => {}
  readonly #closed: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  #unfinished: Array<string> = []
  #waiting = new Set<() => void>()

  constructor(
    dir: Pick<StateDir, "path">,
    options: {
      env?: NodeJS.ProcessEnv
      nodeOptions?: ReadonlyArray<string>
      command?: typeof command
      cwd?: string
    } = {}
  ) {
    // No executable takes options of Node's.
    const withOptions = options.nodeOptions && ([process.execPath, ...options.nodeOptions, binPath] as const)
    const [program, ...args] = options.command ?? withOptions ?? command
    this.child = spawn(program, args, {
      cwd: options.cwd ?? root,
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ATOMIC_AGENT_STATE_DIR: dir.path, ...options.env }
    })
    this.child.stdin.on("error", () => {})
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text))
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text))
    this.#closed = once(this.child, "close").then(([code, signal]) => ({ code, signal }))
    void this.#closed.then(() => this.#wake())
  }

  /** The end of the process and of its pipes. */
  get exited(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return awaitedPromise(() => `the end of the sidecar; stderr: ${this.stderr.slice(-2000)}`, this.#closed)
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  /** Resident memory in MiB, as the kernel counts it. */
  get residentMiB(): number {
    const status = Fs.readFileSync(`/proc/${this.pid}/status`, "utf8")
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }

  write(input: string | Uint8Array): void {
    this.child.stdin.write(input)
  }

  post(type: string, payload: unknown = {}): string {
    const id = `r${this.requests.length}`
    this.requests.push({ id, type })
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
    assert.isTrue(response.ok, JSON.stringify(response))
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
    let seen = 0
    const find = () => {
      for (; seen < this.frames.length; seen++) {
        const frame = this.frames[seen]!
        if (fits(frame)) return frame
      }
      return undefined
    }
    const timer = AbortSignal.timeout(patienceMs)
    while (true) {
      const found = find()
      if (found !== undefined) return found
      if (timer.aborted || this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`${what} did not come; exit ${this.child.exitCode}, stderr: ${this.stderr.slice(-2000)}`)
      }
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve)
        timer.addEventListener("abort", () => resolve(), { once: true })
      })
    }
  }

  /** Ends the input, waits for the end, and holds everything that was read against the contract and the schema. */
  async end(): Promise<void> {
    this.child.stdin.end()
    const { code } = await this.exited
    assert.deepStrictEqual({ code, noise: this.noise, stderr: this.stderr }, { code: 0, noise: [], stderr: "" })
    assert.deepStrictEqual(check(this.frames, { requests: this.requests, ended: true }), [])
    assert.deepStrictEqual(faultsOf(this.frames, this.requests), [])
  }

  [Symbol.dispose](): void {
    this.child.kill("SIGKILL")
  }

  #read(text: string): void {
    this.bytes += text.length
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
