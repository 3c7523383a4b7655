import * as Fs from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { DatabaseSync } from "node:sqlite"
import type { SidecarFrame } from "../../../src/protocol/Frame.ts"
import type { PostedRequest } from "../runs/HostRun.ts"
import { say } from "../../../src/testing/LlamaAnswers.ts"
import type { LlamaServer } from "../../../src/testing/LlamaServer.ts"
import { commandOf, markedWith, processorMs, until } from "../../../src/testing/Processes.ts"
import { RandomHost } from "../runs/RandomHost.ts"
import { SeededRandom } from "../../../src/testing/SeededRandom.ts"
import type { Sidecar } from "../Sidecar.ts"
import type { Act, Wait } from "./Acts.ts"
import { badLines, blankLines, oddRequests } from "./BadLines.ts"
import { overwrite } from "./Damages.ts"
import type { Scene } from "./Place.ts"
import type { LifePlan } from "./Plan.ts"
import { Writer } from "./Writer.ts"

/** Once nothing hinders it, everything must have come to its end after so many milliseconds. */
const patience = 60_000
/** The processor time that a process with nothing to do may take in a while, both in milliseconds. */
const idle = { ms: 300, processorMs: 150 }
/**
 * What a cancel may take until nothing of a turn is left, in milliseconds: contract 6, and what a busy machine adds.
 */
const longestCancel = 4500

/** What a host needs to know of the place, and can do to it. */
export interface Surroundings {
  readonly scene: Scene
  readonly server: LlamaServer
  readonly database: string
  /** In the environment of the sidecar and of all that it starts. */
  readonly mark: string
}

/** The host of one process: does what the plan says, over a real pipe. */
export class Host extends RandomHost {
  readonly sidecar: Sidecar
  /** Breaches that only show while it happens. */
  readonly wrong: Array<string> = []
  isCorrupted = false
  wasStopped = false
  /** How the next approval requests are answered, over and over. */
  approvals: LifePlan["approvals"]
  readonly #around: Surroundings
  readonly #writer: Writer
  readonly #locks = new Set<Promise<void>>()
  #listener: (frame: SidecarFrame) => void = () => {}
  #isServerGone = false
  #asked = 0

  constructor(sidecar: Sidecar, plan: LifePlan, around: Surroundings) {
    const writer = new Writer(sidecar.child.stdin, plan.writing)
    const { skills, work } = around.scene
    super({
      frames: sidecar.frames,
      write: (line) => writer.write(Buffer.from(`${line}\n`)),
      places: {
        workingDirs: { good: work, relative: "small/work", missing: "/no/where", file: `${work}/a.txt` },
        skills
      },
      maxLineBytes: plan.settings.maxLineBytes
    })
    this.sidecar = sidecar
    this.approvals = plan.approvals
    this.#around = around
    this.#writer = writer
    sidecar.onFrame = (frame) => this.#onFrame(frame)
  }

  get flushed(): Promise<void> {
    return this.#writer.flushed
  }

  /** The response, if it comes in time. */
  async request(type: string, payload: PostedRequest["payload"] = {}) {
    const id = this.post(type, payload)
    this.#writer.release()
    await until(() => !this.unanswered.some((each) => each.id === id) || this.sidecar.hasExited, patience)
    return this.frames.findLast((frame) => frame.kind === "response" && frame.correlationId === id)
  }

  async play(act: Act): Promise<void> {
    const { server } = this.#around
    const { child } = this.sidecar
    switch (act.do) {
      case "stall":
        child.stdout.pause()
        setTimeout(() => child.stdout.resume(), act.ms)
        return
      case "sleep":
        if (this.sidecar.hasExited) return
        this.wasStopped = true
        child.kill("SIGSTOP")
        await sleep(act.ms)
        return void child.kill("SIGCONT")
      case "lock":
        return this.#lock(act.ms)
      case "corrupt":
        return this.#corrupt()
      case "close stderr":
        return void child.stderr.destroy()
      case "server stops":
        if (this.#isServerGone) return
        this.#isServerGone = true
        return server.stop()
      case "server is back":
        return this.serverIsBack()
      case "server loads":
        return server.loading(true)
      case "server is ready":
        return server.loading(false)
      case "idle":
        return this.checkIdle()
      case "bad":
        this.badLines++
        return this.#line(badLines[act.name]!(new SeededRandom(act.seed)))
      case "blank":
        return this.#line(blankLines[act.name]!(new SeededRandom(act.seed)))
      case "odd": {
        const { line, type } = oddRequests[act.name]!
        const id = `odd ${this.posted.length} é\\u2028`
        return void this.post(type, {}, JSON.parse(`"${id}"`), line(id, new SeededRandom(act.seed)))
      }
      default:
        return this.act(act)
    }
  }

  async wait(wait: Wait): Promise<void> {
    if (wait.for !== "nothing") this.#writer.release()
    switch (wait.for) {
      case "nothing":
        return
      case "time":
        return sleep(wait.ms)
      case "frame":
        return new Promise((resolve) => {
          const timer = setTimeout(resolve, 300)
          this.#listener = (frame) => {
            if ((frame.kind === "event" ? frame.type : "response") !== wait.type) return
            clearTimeout(timer)
            resolve()
          }
        })
      case "quiet":
        await until(() => this.unanswered.length === 0 || this.sidecar.hasExited, wait.ms)
    }
  }

  async serverIsBack(): Promise<void> {
    if (!this.#isServerGone) return
    this.#isServerGone = false
    await this.#around.server.restart()
  }

  /** Lets all that is open come to its end, with nothing in the way any more. */
  async settle(): Promise<void> {
    await this.#unhinder()
    this.#around.server.answer(say({ text: "fine" }))
    const isDone = () => {
      this.approveAll()
      this.#writer.release()
      return this.unanswered.length === 0 || this.sidecar.hasExited
    }
    await until(isDone, patience)
    for (const { id, type } of this.unanswered) this.wrong.push(`no response to ${type} ${id} in ${patience} ms`)
  }

  /** The next message works as if nothing had been before, and the states of the sessions are what was seen. */
  async goOn(): Promise<void> {
    this.ensureSession()
    await this.settle()
    this.sendLast()
    await this.settle()
    this.askStates()
    await this.settle()
  }

  /** One cancel ends all that is open in the active session, and every process that its tools have started. */
  async cancelAll(): Promise<void> {
    await this.#unhinder()
    // No other session is on its way.
    const isStarting = () => this.unanswered.some(({ type }) => /^(start|resume)_session$/.test(type))
    await until(() => !isStarting() || this.sidecar.hasExited, patience)
    const sessionId = this.sessions.at(-1)
    if (sessionId === undefined) return
    const from = performance.now()
    await this.request("cancel", { sessionId })
    await until(() => this.started.length === 0, longestCancel)
    for (const pid of this.started) this.wrong.push(`after a cancel there is ${commandOf(pid)}`)
    const tookMs = performance.now() - from
    if (tookMs > longestCancel) this.wrong.push(`a cancel took ${Math.round(tookMs)} ms`)
  }

  /** The processes that were started by the sidecar, by id. */
  get started(): ReadonlyArray<number> {
    return markedWith(this.#around.mark).filter((pid) => pid !== this.sidecar.pid)
  }

  /** It is wrong if a process with nothing to do does something. */
  async checkIdle(): Promise<void> {
    await this.wait({ for: "quiet", ms: 500 })
    const before = processorMs(this.sidecar.pid)
    const count = this.frames.length
    const isBusy = this.unanswered.length > 0 || this.sidecar.child.stdout.isPaused()
    await sleep(idle.ms)
    const after = processorMs(this.sidecar.pid)
    if (isBusy || count !== this.frames.length || before === undefined || after === undefined) return
    if (after - before > idle.processorMs) {
      this.wrong.push(`with nothing to do, it used ${after - before} ms of ${idle.ms} ms`)
    }
  }

  /** Resolves when nobody else holds the database. */
  async unlocked(): Promise<void> {
    await Promise.all(this.#locks)
  }

  async #unhinder(): Promise<void> {
    this.#around.server.loading(false)
    await this.serverIsBack()
    this.sidecar.child.stdout.resume()
    await this.flushed
  }

  /** Writes a line that need not be a request. */
  #line(text: string | Uint8Array): void {
    this.#writer.write(Buffer.concat([Buffer.from(text), Buffer.from("\n")]))
  }

  #onFrame(frame: SidecarFrame): void {
    this.#listener(frame)
    if (frame.kind === "response" || frame.type !== "approval_request" || this.isEnding) return
    const { approvalId } = frame.payload
    const how = this.approvals[this.#asked++ % this.approvals.length]
    switch (how) {
      case "yes":
      case "no":
        this.decide(approvalId, how === "yes")
        break
      case "late":
        setTimeout(() => {
          if (!this.isEnding) this.decide(approvalId, true)
          this.#writer.release()
        }, 150)
        break
      case "twice":
        this.decide(approvalId, true)
        this.decide(approvalId, false)
        break
      case "wrong first":
        this.decide("a-nobody", true)
        this.decide(approvalId, true)
    }
    this.#writer.release()
  }

  #lock(ms: number): void {
    try {
      const database = new DatabaseSync(this.#around.database, { timeout: 0 })
      database.exec("BEGIN IMMEDIATE")
      this.#locks.add(sleep(ms).then(() => database.close()))
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
}
