import * as Path from "node:path"
import type { SidecarFrame, SidecarResponse } from "../../src/protocol/Frame.ts"
import type { Answer } from "../../src/testing/LlamaAnswers.ts"
import { ProcessHost } from "../../src/testing/ProcessHost.ts"
import type { StateDir } from "../../src/testing/StateDir.ts"
import type { Relay } from "./Relay.ts"

const root = Path.resolve(import.meta.dirname, "../..")

export interface PlayerOptions {
  readonly relay: Relay
  readonly stateDir: StateDir
  readonly workingDir: string
  /** A folder with a skill in it. */
  readonly skill: string
}

/** What the host answers when a call asks: at once, or nothing until the history says so. */
export type Approving = "yes" | "no" | "later"

/** A message that was sent: `ends` waits for its turn, and fails if that ends in another way. */
export interface SentTurn {
  ends(reason: string): Promise<void>
}

/** The host of one session of the real sidecar, whose model says what a history scripts. */
export class Player {
  approving: Approving = "yes"
  readonly relay: Relay
  readonly workingDir: string
  readonly skill: string
  readonly #stateDir: StateDir
  #host: ProcessHost
  #sessionId = ""
  #asked = Promise.withResolvers<string>()
  #refused = Promise.withResolvers<never>()

  constructor({ relay, skill, stateDir, workingDir }: PlayerOptions) {
    this.relay = relay
    this.workingDir = workingDir
    this.skill = skill
    this.#stateDir = stateDir
    this.#host = this.#launch()
  }

  /** Begins a new session; what was scripted and is not said yet is dropped. */
  async session(): Promise<void> {
    this.approving = "yes"
    this.relay.forget()
    this.#asked = Promise.withResolvers()
    this.#refused = Promise.withResolvers()
    this.#refused.promise.catch(() => {})
    this.#sessionId = await this.#host.session(this.workingDir)
  }

  /** Fails when a turn of the session has failed with the refusal of the real server. */
  get refused(): Promise<never> {
    return this.#refused.promise
  }

  /** What the model says to the next requests that the server takes, one after the other. */
  model(...answers: ReadonlyArray<Answer>): void {
    this.relay.script(answers)
  }

  /** Sends a message and waits for the end of its turn. */
  send(text: string, reason = "reply", maxSteps?: number): Promise<void> {
    return this.begin(text, maxSteps).ends(reason)
  }

  /** Sends a message. */
  begin(text: string, maxSteps?: number): SentTurn {
    const id = this.#host.post("send_message", { sessionId: this.#sessionId, text, ...(maxSteps && { maxSteps }) })
    const response = this.#host.response(id)
    response.catch(() => {})
    return {
      ends: async (reason) => {
        const ended = await response
        const shown = ended.ok ? (ended.payload as { reason: string }).reason : ended.error.message
        if (shown !== reason) throw new Error(`the turn ended with ${shown} and not with ${reason}`)
      }
    }
  }

  async steer(text: string): Promise<void> {
    const { steered } = payloadOf(await this.request("steer_message", { text }))
    if (steered !== true) throw new Error("the steer came too late")
  }

  async cancel(): Promise<void> {
    await this.request("cancel")
  }

  request(type: string, payload: object = {}): Promise<SidecarResponse> {
    return this.#host.request(type, { sessionId: this.#sessionId, ...payload })
  }

  /** The next event of this type, from now on. */
  event(type: string): Promise<SidecarFrame> {
    const from = this.#host.frames.length
    return this.#host.event(type, (frame) => this.#host.frames.indexOf(frame) >= from)
  }

  /** Waits until a call asks; only with `later`. */
  async asked(): Promise<(approved: boolean, reason?: string) => Promise<unknown>> {
    const approvalId = await this.#asked.promise
    this.#asked = Promise.withResolvers()
    return (approved, reason) => this.#host.request("approval_response", { approvalId, approved, reason })
  }

  /** Kills the sidecar and resumes the session in a new one. */
  async restart(): Promise<void> {
    this.#host.child.kill("SIGKILL")
    await this.#host.exited
    this.#host = this.#launch()
    await this.request("resume_session")
  }

  [Symbol.dispose](): void {
    this.#host[Symbol.dispose]()
  }

  #launch(): ProcessHost {
    const host = new ProcessHost({
      command: [process.execPath, Path.join(root, "dist/sidecar/main.js")],
      env: {
        PATH: process.env.PATH,
        HOME: this.#stateDir.path,
        ATOMIC_AGENT_STATE_DIR: this.#stateDir.path
      }
    })
    host.onFrame = (frame) => {
      if (frame.kind !== "event") return
      if (
        frame.type === "session_failed" &&
        this.relay.refusals.some(({ words }) => frame.payload.error.includes(words))
      ) {
        return this.#refused.reject(new Error("the session ended with the refusal"))
      }
      if (frame.type !== "approval_request") return
      const { approvalId } = frame.payload
      if (this.approving === "later") return this.#asked.resolve(approvalId)
      host.post("approval_response", { approvalId, approved: this.approving === "yes" })
    }
    host.post("hello", { extensions: ["sessions"] })
    return host
  }
}

const payloadOf = (response: SidecarResponse): { readonly [key: string]: unknown } =>
  (response.ok ? response.payload : response.error) as { readonly [key: string]: unknown }
