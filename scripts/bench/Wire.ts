import { type ChildProcess, spawn } from "node:child_process"

/** A child process that answers lines with lines, read with as little work as can be: frames are parsed afterwards. */
export class Wire {
  readonly spawnedAt = performance.now()
  readonly #child: ChildProcess
  #reads: Array<Read> = []
  #watch: { readonly needle: string; readonly resolve: (at: number) => void } | undefined
  #tail = ""
  #ended: string | undefined

  constructor([program = "", ...args]: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env) {
    this.#child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] })
    this.#child.stdin?.on("error", () => {})
    this.#child.stdout?.on("data", (bytes: Buffer) => this.#read(bytes))
    this.#child.on("close", (code, signal) => {
      this.#ended = `${[program, ...args].join(" ")} ended: ${signal ?? code}`
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  write(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** When the text came, on the clock of `performance.now()`. What was read before it was asked for does not count. */
  until(needle: string): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) reject(new Error(this.#ended))
      const onClose = () => reject(new Error(`${this.#ended ?? "a child"} while waiting for ${needle}`))
      this.#child.once("close", onClose)
      this.#tail = ""
      this.#watch = {
        needle,
        resolve: (at) => {
          this.#child.off("close", onClose)
          this.#watch = undefined
          resolve(at)
        }
      }
    })
  }

  /** Sends a request and waits for its response; answers when it came. */
  call(id: string, type: string, payload: object): Promise<number> {
    const arrived = this.until(`"correlationId":"${id}"`)
    this.write(requestLine(id, type, payload))
    return arrived
  }

  /** All that came since the last call of this. */
  take(): ReadonlyArray<Read> {
    const reads = this.#reads
    this.#reads = []
    return reads
  }

  async end(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once("close", resolve))
    if (this.#ended !== undefined) return
    this.#child.stdin?.end()
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 5000)
    await closed
    clearTimeout(timer)
  }

  #read(bytes: Buffer): void {
    const at = performance.now()
    this.#reads.push({ at, clock: process.hrtime.bigint(), bytes })
    if (this.#watch === undefined) return
    const { needle, resolve } = this.#watch
    const text = this.#tail + bytes.toString("latin1")
    if (text.includes(needle)) return resolve(at)
    this.#tail = text.slice(-needle.length)
  }
}

export interface Read {
  /** `performance.now()`. */
  readonly at: number
  /** `process.hrtime.bigint()`: shared by all processes. */
  readonly clock: bigint
  readonly bytes: Buffer
}

export const requestLine = (id: string, type: string, payload: object): string =>
  `${JSON.stringify({ kind: "request", id, type, payload })}\n`

export const textOf = (reads: ReadonlyArray<Read>): string =>
  Buffer.concat(reads.map(({ bytes }) => bytes)).toString("utf8")

export const framesOf = (reads: ReadonlyArray<Read>): ReadonlyArray<Frame> =>
  textOf(reads)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** As much of a frame as is looked at here. */
export interface Frame {
  readonly kind: string
  readonly type?: string
  readonly ok?: boolean
  readonly payload: {
    readonly text?: string
    readonly sessionId?: string
    readonly reason?: string
    /** Of the answer: bare Node counts what it does not pass on. */
    readonly length?: number
  }
  readonly error?: { readonly message: string }
}
