import * as Fs from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import { say } from "../../src/testing/LlamaAnswers.ts"
import type { LlamaServer } from "../../src/testing/LlamaServer.ts"
import type { Bin } from "../../test/support/Bin.ts"
import type { Posted } from "../races/Play.ts"
import { processorMs, until } from "../races/Processes.ts"
import { approvalsIn, sessionsIn } from "../races/Seen.ts"
import { badLines, blankLines, oddRequests } from "./BadLines.ts"
import { overwrite } from "./Damages.ts"
import { Draw } from "./Draw.ts"
import type { HostAct, Wait } from "./HostActs.ts"
import { activeIn, type RequestAct, requestOf } from "./HostRequests.ts"
import type { LifePlan } from "./Plan.ts"
import type { Scene } from "./Scene.ts"
import { Writer } from "./Writer.ts"

/** Milliseconds in which everything must have come to its end once nothing hinders it. */
const patience = 60_000
/** Processor time that a process with nothing to do may take, of so many milliseconds. */
const idle = { ms: 300, processorMs: 150 }

/** What a host needs to know of the place, and can do to it. */
export interface Surroundings {
  readonly scene: Scene
  readonly server: LlamaServer
  readonly database: string
}

/** The host of one process: does what the plan says, and keeps what it did. */
export class Host {
  readonly bin: Bin
  readonly posted: Array<Posted> = []
  /** Breaches that only show while it happens. */
  readonly wrong: Array<string> = []
  badLines = 0
  isEnding = false
  isCorrupted = false
  wasStopped = false
  /** What is said to the next questions, over and over. */
  approvals: LifePlan["approvals"]
  readonly #maxLineBytes: number | undefined
  readonly #around: Surroundings
  readonly #writer: Writer
  readonly #open = new Map<string, Posted>()
  readonly #decided = new Set<string>()
  readonly #locks = new Set<Promise<void>>()
  #hearer: (frame: SidecarFrame) => void = () => {}
  #isServerGone = false
  #asked = 0
  #texts = 0

  constructor(bin: Bin, plan: LifePlan, around: Surroundings) {
    this.bin = bin
    this.approvals = plan.approvals
    this.#maxLineBytes = plan.settings.maxLineBytes
    this.#around = around
    this.#writer = new Writer(bin.child.stdin, plan.writing)
    bin.onFrame = (frame) => this.#hear(frame)
  }

  get workingDir(): string {
    return this.#around.scene.work
  }

  get flushed(): Promise<void> {
    return this.#writer.flushed
  }

  /** The requests that have no response. */
  get missing(): ReadonlyArray<Posted> {
    return [...this.#open.values()]
  }

  post(type: string, payload: { readonly [key: string]: unknown } = {}): string {
    const id = `r${this.posted.length}`
    this.#request(id, type, payload, JSON.stringify({ kind: "request", id, type, payload }))
    return id
  }

  /** The response, if it comes in time. */
  async request(type: string, payload: { readonly [key: string]: unknown } = {}) {
    const id = this.post(type, payload)
    this.#writer.release()
    await until(() => !this.#open.has(id) || this.#isGone, patience)
    return this.bin.frames.findLast((frame) => frame.kind === "response" && frame.correlationId === id)
  }

  /** Writes a line that need not be a request. */
  line(text: string | Uint8Array): void {
    this.#writer.write(Buffer.concat([Buffer.from(text), Buffer.from("\n")]))
  }

  async act(act: HostAct): Promise<void> {
    switch (act.do) {
      case "stall":
        this.bin.child.stdout.pause()
        setTimeout(() => this.bin.child.stdout.resume(), act.ms)
        return
      case "sleep": {
        if (this.#isGone) return
        this.wasStopped = true
        this.bin.child.kill("SIGSTOP")
        await new Promise((resolve) => setTimeout(resolve, act.ms))
        return void this.bin.child.kill("SIGCONT")
      }
      case "lock":
        return this.#lock(act.ms)
      case "corrupt":
        return this.#corrupt()
      case "close stderr":
        return void this.bin.child.stderr.destroy()
      case "server stops":
        if (this.#isServerGone) return
        this.#isServerGone = true
        return this.#around.server.stop()
      case "server is back":
        return this.serverIsBack()
      case "server loads":
        return this.#around.server.loading(true)
      case "server is ready":
        return this.#around.server.loading(false)
      case "idle":
        return this.looksIdle()
      case "bad":
        this.badLines++
        return this.line(badLines[act.name]!(new Draw(act.seed)))
      case "blank":
        return this.line(blankLines[act.name]!(new Draw(act.seed)))
      case "odd":
        return this.#odd(act.name, new Draw(act.seed))
      default:
        return this.#say(act)
    }
  }

  async wait(wait: Wait): Promise<void> {
    if (wait.for !== "nothing") this.#writer.release()
    switch (wait.for) {
      case "nothing":
        return
      case "time":
        return new Promise((resolve) => setTimeout(resolve, wait.ms))
      case "frame":
        return new Promise((resolve) => {
          const timer = setTimeout(resolve, 300)
          this.#hearer = (frame) => {
            if ((frame.kind === "event" ? frame.type : "response") !== wait.type) return
            clearTimeout(timer)
            resolve()
          }
        })
      case "quiet":
        await until(() => this.#open.size === 0 || this.#isGone, wait.ms)
    }
  }

  async serverIsBack(): Promise<void> {
    if (!this.#isServerGone) return
    this.#isServerGone = false
    await this.#around.server.restart()
  }

  /** Lets all that is open come to its end, with nothing in the way any more. */
  async settle(): Promise<void> {
    const { server } = this.#around
    server.loading(false)
    await this.serverIsBack()
    server.answer(say({ text: "fine" }))
    this.bin.child.stdout.resume()
    await this.flushed
    const done = () => {
      for (const id of approvalsIn(this.bin.frames)) if (!this.#decided.has(id)) this.#decide(id, true)
      this.#writer.release()
      return this.#open.size === 0 || this.#isGone
    }
    await until(done, patience)
    for (const { id, type } of this.missing) this.wrong.push(`no response to ${type} ${id} in ${patience} ms`)
  }

  /** The next message works as if nothing had been, and what is told of the sessions is what was seen. */
  async goOn(): Promise<void> {
    if (sessionsIn(this.bin.frames).length === 0) this.post("start_session", { workingDir: this.#around.scene.work })
    await this.settle()
    this.post("send_message", { sessionId: activeIn(this.bin.frames), text: "the last one" })
    await this.settle()
    const known = (id: string) =>
      this.posted.some((each) => each.payload["sessionId"] === id && each.type === "resume_session")
    for (const sessionId of new Set(sessionsIn(this.bin.frames)))
      if (!known(sessionId)) this.post("get_session", { sessionId })
    await this.settle()
  }

  /** Notes it where a process with nothing to do does something. */
  async looksIdle(): Promise<void> {
    await this.wait({ for: "quiet", ms: 500 })
    const before = processorMs(this.bin.pid)
    const frames = this.bin.frames.length
    const isBusy = this.#open.size > 0 || this.bin.child.stdout.isPaused()
    await new Promise((resolve) => setTimeout(resolve, idle.ms))
    const after = processorMs(this.bin.pid)
    if (isBusy || frames !== this.bin.frames.length || before === undefined || after === undefined) return
    if (after - before > idle.processorMs) {
      this.wrong.push(`with nothing to do, it used ${after - before} ms of ${idle.ms} ms`)
    }
  }

  /** Until nobody else holds the database. */
  async unlocked(): Promise<void> {
    await Promise.all(this.#locks)
  }

  get #isGone(): boolean {
    return this.bin.child.exitCode !== null || this.bin.child.signalCode !== null
  }

  #request(id: string, type: string, payload: { readonly [key: string]: unknown }, text: string): void {
    const maxLineBytes = this.#maxLineBytes
    this.line(text)
    // It is no request then, only a line that is too long.
    if (maxLineBytes !== undefined && Buffer.byteLength(text) > maxLineBytes) return void this.badLines++
    const at = this.bin.frames.length
    const posted = { id, type, payload, at, isLate: this.isEnding, isLost: this.isEnding }
    this.posted.push(posted)
    this.#open.set(id, posted)
    if (type === "shutdown") this.isEnding = true
  }

  #hear(frame: SidecarFrame): void {
    this.#hearer(frame)
    if (frame.kind === "response") return void this.#open.delete(frame.correlationId)
    if (frame.type !== "approval_request") return
    const { approvalId } = frame.payload
    const how = this.approvals[this.#asked++ % this.approvals.length]
    switch (how) {
      case "yes":
      case "no":
        return this.#decide(approvalId, how === "yes")
      case "late":
        return void setTimeout(() => this.#decide(approvalId, true), 150)
      case "twice":
        this.#decide(approvalId, true)
        return this.#decide(approvalId, false)
      case "wrong first":
        this.#decide("a-nobody", true)
        return this.#decide(approvalId, true)
    }
  }

  #decide(approvalId: string, approved: boolean): void {
    if (this.isEnding) return
    this.#decided.add(approvalId)
    this.post("approval_response", { approvalId, approved, ...(approved ? {} : { reason: "not now" }) })
    this.#writer.release()
  }

  #lock(ms: number): void {
    try {
      const database = new DatabaseSync(this.#around.database, { timeout: 0 })
      database.exec("BEGIN IMMEDIATE")
      const released = new Promise<void>((resolve) =>
        setTimeout(() => {
          database.close()
          resolve()
        }, ms)
      )
      this.#locks.add(released)
    } catch {
      // There is none yet, or the sidecar is writing.
    }
  }

  #corrupt(): void {
    if (!Fs.existsSync(this.#around.database)) return
    try {
      overwrite(this.#around.database, 0)
      this.isCorrupted = true
    } catch {
      // It cannot be written, not by us either.
    }
  }

  #say(act: RequestAct): void {
    const { payload, type } = requestOf(act, this.bin.frames, this.#around.scene, () => `text ${this.#texts++}`)
    if (act.do === "answer") this.#decided.add(String(payload["approvalId"]))
    this.post(type, payload)
  }

  #odd(name: string, draw: Draw): void {
    const { line, type } = oddRequests[name]!
    const id = `odd ${this.posted.length} é\\u2028`
    this.#request(JSON.parse(`"${id}"`), type, {}, line(id, draw))
  }
}
