import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import type { LlamaServer } from "../../src/testing/LlamaServer.ts"
import type { Bin } from "../../test/support/Bin.ts"
import type { Dice } from "./Dice.ts"
import { commandOf, markedWith, until } from "./Processes.ts"

/** Milliseconds between two acts, at most. */
const longestGap = 50

/** What a sidecar has for its end, in milliseconds. */
export const endMs = 3000

/** How a sidecar is ended. */
export const ends = [
  "shutdown",
  "end of input",
  "SIGTERM",
  "SIGINT",
  "SIGTERM twice",
  "shutdown and SIGTERM",
  "shutdown and end of input",
  "stdout broken",
  "SIGKILL"
] as const

export type End = (typeof ends)[number]

/** A host that does what the dice say, and keeps its story. */
export class RandomHost {
  readonly bin: Bin
  readonly dice: Dice
  readonly workingDir: string
  readonly story: Array<string> = []
  #session = "none"
  #asked = 0
  #open: Array<string> = []

  constructor(bin: Bin, dice: Dice, workingDir: string) {
    this.bin = bin
    this.dice = dice
    this.workingDir = workingDir
  }

  post(type: string, payload: object = {}): string {
    this.story.push(`${type} ${JSON.stringify(payload)}`)
    return this.bin.post(type, payload)
  }

  async wait(): Promise<void> {
    const ms = this.dice.chance(0.3) ? 0 : this.dice.below(longestGap)
    this.story.push(`${ms} ms`)
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
  }

  act(): void {
    const { dice } = this
    this.#look()
    const sessionId = this.#session
    const approvalId = this.#open.length > 0 ? dice.one(this.#open) : "none"
    switch (dice.below(20)) {
      case 0:
      case 1:
      case 2:
        for (let count = 1 + dice.below(3); count > 0; count--) {
          this.post("send_message", { sessionId, text: "go", ...(dice.chance(0.3) ? { maxSteps: 2 } : {}) })
        }
        return
      case 3:
        return void this.post("steer_message", { sessionId, text: "and this" })
      case 4:
        return void this.post("cancel", { sessionId })
      case 5:
        if (dice.chance(0.5)) this.post("cancel", { sessionId })
        return void this.post("send_message", { sessionId, text: "again" })
      case 6:
        return void (dice.chance(0.4) && this.post("start_session", { workingDir: this.workingDir }))
      case 7:
        return void this.post("get_session", { sessionId })
      case 8:
        return void this.post(dice.one(["ping", "list_queue"]), { sessionId })
      case 9:
        this.story.push("reads nothing")
        return void this.bin.child.stdout.pause()
      case 10:
      case 11:
        this.story.push("reads")
        return void this.bin.child.stdout.resume()
      default:
        // Some are never answered, some twice, some once their turn is over.
        if (dice.chance(0.8)) this.#open = this.#open.filter((id) => id !== approvalId)
        return void this.post("approval_response", { approvalId, approved: dice.chance(0.7), reason: "because" })
    }
  }

  #look(): void {
    const { frames } = this.bin
    for (; this.#asked < frames.length; this.#asked++) {
      const frame = frames[this.#asked]!
      if (frame.kind !== "event") continue
      if (frame.type === "session_started") this.#session = frame.payload.sessionId
      if (frame.type === "approval_request") this.#open.push(frame.payload.approvalId)
    }
  }

  /** What runs and was started by a tool. */
  get left(): ReadonlyArray<number> {
    return markedWith(`RACES_MARK=${this.workingDir}`).filter((pid) => pid !== this.bin.pid)
  }

  end(end: End): void {
    const { bin } = this
    this.story.push(end)
    if (end.startsWith("shutdown")) bin.post("shutdown")
    if (end.includes("SIGTERM")) bin.child.kill("SIGTERM")
    if (end === "SIGTERM twice") bin.child.kill("SIGTERM")
    if (end.includes("end of input")) bin.child.stdin.end()
    if (end === "SIGINT" || end === "SIGKILL") bin.child.kill(end)
    if (end !== "stdout broken") return
    bin.child.stdout.destroy()
    // Who has nothing to say does not notice.
    bin.post("ping")
  }

  /** In the session that is the active one in the end all that is open is ended by one cancel, and the next message is answered. */
  async goOn(server: LlamaServer): Promise<void> {
    // No other session is on its way.
    for (const { id, type } of this.bin.requests) if (type === "start_session") await this.bin.response(id)
    this.#look()
    const sessionId = this.#session
    const cancel = this.post("cancel", { sessionId })
    await this.bin.response(cancel)
    // The last signal may have been sent only now.
    const isClean = () => this.left.length === 0
    if ((await until(isClean, endMs)) === undefined) {
      throw new Error(`after a cancel there is ${this.left.map(commandOf).join(", ")}`)
    }
    server.answer(LlamaAnswers.say({ text: "Here I am." }))
    const response = await this.bin.response(this.post("send_message", { sessionId, text: "and now?" }))
    const { reason } = (response.payload ?? {}) as { reason?: string }
    if (reason !== "reply") throw new Error(`after a cancel a message ended with ${JSON.stringify(response)}`)
  }
}
