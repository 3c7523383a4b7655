import type { Readable, Writable } from "node:stream"
import type { EventFrame, EventPayload, EventType, SidecarEvent } from "../protocol/Event.ts"
import type { Extension, HelloResult, RequestPayload, RequestType, ResponsePayload } from "../protocol/Request.ts"
import { type Approval, Approvals, type OnApproval } from "./Approvals.ts"
import { spawnChild } from "./ChildPipe.ts"
import { type Answer, Connection } from "./Connection.ts"
import { EventHub, guarded } from "./EventHub.ts"
import { type SidecarExit, SidecarGone } from "./HostError.ts"
import { climb } from "./Ladder.ts"
import { nodeEnv, nodeFlags, ownBin } from "./OwnBin.ts"
import { attachStreams, type Pipe } from "./Pipe.ts"
import { LiveTurn, type Turn } from "./Turn.ts"
import { TurnDesk } from "./TurnDesk.ts"

export type { Approval, ApprovalRequest, OnApproval } from "./Approvals.ts"
export { EventsLost, RequestFailed, type SidecarExit, SidecarGone } from "./HostError.ts"
export type { Turn, TurnPiece, TurnResult } from "./Turn.ts"

export interface HostOptions {
  /** Answers what the gate asks. Where nobody listens at all, every question is answered with no. */
  readonly onApproval?: OnApproval | undefined
  /** Sees every frame as it came, also those of a newer protocol, which nothing else here shows. */
  readonly onFrame?: ((frame: unknown) => void) | undefined
  /** Sees what the other end writes that is no JSON, such as the banner of a wrapper. */
  readonly onNoise?: ((line: string) => void) | undefined
}

export interface SpawnOptions extends HostOptions {
  /** What to run; by default the sidecar of this package, by this very Node (or Electron). */
  readonly command?: string | undefined
  readonly args?: ReadonlyArray<string> | undefined
  /** The whole environment, by default our own. */
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly cwd?: string | undefined
  readonly onStderr?: ((text: string) => void) | undefined
}

export interface AttachOptions extends HostOptions {
  /** Where requests are written. */
  readonly input: Writable
  /** Where frames are read. */
  readonly output: Readable
}

export interface SendOptions {
  /** Step budget of the turn. */
  readonly maxSteps?: number | undefined
  /**
   * Cancels the turn; its result then says `cancelled`. A running turn takes those that wait behind it along. One that is
   * aborted already sends nothing, and the turn rejects with its reason.
   */
  readonly signal?: AbortSignal | undefined
}

export interface ShutdownOptions {
  /** How long all of it may take before the sidecar is killed, in milliseconds; by default 6000. */
  readonly withinMs?: number | undefined
}

/** A payload, which may be left out where the protocol lets it. */
export type RequestArguments<T extends RequestType> =
  null extends RequestPayload<T> ? [payload?: RequestPayload<T>] : [payload: RequestPayload<T>]

/**
 * A sidecar, from the side of its host. Nothing here retries, and no promise that fails ends the host's process: who
 * awaits it hears of it.
 */
export class SidecarHost implements AsyncDisposable {
  /** Settles when the sidecar is gone, whatever the reason; never rejects. */
  readonly exited: Promise<SidecarExit>
  readonly #pipe: Pipe
  readonly #connection: Connection
  readonly #hub = new EventHub()
  readonly #desk: TurnDesk
  #leaving: Promise<SidecarExit> | undefined

  /** Starts a sidecar as a child process; one that cannot be started is one that is gone. */
  static spawn(options: SpawnOptions = {}): SidecarHost {
    const { args = [], command, cwd, env = process.env, onStderr = () => {} } = options
    const told = (text: string) => guarded(() => onStderr(text))
    const run =
      command === undefined
        ? { command: process.execPath, args: [...nodeFlags(), ownBin(), ...args], env: nodeEnv(env) }
        : { command, args, env }
    return new SidecarHost(spawnChild({ ...run, cwd, onStderr: told }), options)
  }

  /** Speaks to a sidecar at the other end of two streams, which may be one and the same. */
  static attach(options: AttachOptions): SidecarHost {
    return new SidecarHost(attachStreams(options.input, options.output), options)
  }

  private constructor(pipe: Pipe, { onApproval, onFrame, onNoise }: HostOptions) {
    const approvals = new Approvals({
      onApproval,
      heard: () => onFrame !== undefined || this.#hub.listensTo("approval_request"),
      answer: (approvalId, approval) => this.#approve(approvalId, approval)
    })
    this.#pipe = pipe
    this.#connection = new Connection(pipe, {
      onEvent: (event) => {
        this.#desk.hear(event)
        // A question is shown before it is asked.
        this.#hub.dispatch(event)
        approvals.hear(event)
      },
      onFrame: (frame) => guarded(() => onFrame?.(frame)),
      onNoise: (line) => guarded(() => onNoise?.(line)),
      onGone: (gone) => {
        approvals.close()
        this.#hub.close(this.#leaving === undefined ? gone : undefined)
      }
    })
    this.#desk = new TurnDesk(this.#connection)
    this.exited = this.#connection.gone.then(({ detail, exitCode, signal }) => ({ exitCode, signal, detail }))
  }

  /** The child's process id; undefined where there is none. */
  get pid(): number | undefined {
    return this.#pipe.pid
  }

  /** The extensions that `hello` has granted. */
  get extensions(): ReadonlySet<Extension> {
    return this.#connection.granted
  }

  /** Sends a request. Rejects with `RequestFailed`, or with `SidecarGone` where no answer can come. */
  request<T extends RequestType>(type: T, ...[payload]: RequestArguments<T>): Promise<ResponsePayload<T>> {
    const { promise, reject, resolve } = Promise.withResolvers<ResponsePayload<T>>()
    const settle = (answer: Answer) =>
      answer.ok ? resolve(answer.payload as ResponsePayload<T>) : reject(answer.error)
    // Nobody may be waiting for it, and a host must not end because its sidecar did.
    promise.catch(() => {})
    if (type === "send_message") this.#sendPlain(payload as RequestPayload<"send_message">, settle)
    else this.#connection.call(type, payload, settle)
    return promise
  }

  /** Asks for extensions of the protocol (contract 9); `extensions` of the answer are those granted. */
  hello(extensions: ReadonlyArray<Extension>, client?: { name: string; version: string }): Promise<HelloResult> {
    return this.request("hello", client === undefined ? { extensions } : { extensions, client })
  }

  /** Sends a message. Any number may be sent at once; the turns of a session are played in order. */
  send(sessionId: string, text: string, { maxSteps, signal }: SendOptions = {}): Turn {
    const turn = new LiveTurn(sessionId, text)
    if (signal?.aborted === true) {
      turn.fail(signal.reason)
      return turn
    }
    const stop = () => this.#desk.stop(turn)
    signal?.addEventListener("abort", stop, { once: true })
    const payload = maxSteps === undefined ? { sessionId, text } : { sessionId, text, maxSteps }
    this.#desk.send(turn, payload, () => signal?.removeEventListener("abort", stop))
    return turn
  }

  /** Hears events of one type, at once and in order; the function that it returns ends that. */
  on<T extends EventType>(type: T, listener: (payload: EventPayload<T>, event: EventFrame<T>) => void): () => void {
    return this.#hub.on(type, listener)
  }

  /** Hears all events, at once and in order; the function that it returns ends that. */
  onEvent(listener: (event: SidecarEvent) => void): () => void {
    return this.#hub.onEvent(listener)
  }

  /**
   * All events from now on, or those of one session; if that has had no turn yet, from its very first event on, which
   * comes before the response that tells the session's id. Ends with the sidecar: by itself after `shutdown`, else
   * with `SidecarGone`. Neighbouring deltas that nobody has read are joined; with more than 10,000 events unread it
   * ends with `EventsLost`.
   */
  events(options: { readonly sessionId?: string | undefined } = {}): AsyncIterableIterator<SidecarEvent, undefined> {
    return this.#hub.events(options.sessionId)
  }

  /** For those who send much: waits until the sidecar has taken what was sent, or is gone. */
  ready(): Promise<void> {
    return this.#connection.ready()
  }

  /** Asks the sidecar to end, then ends its input, then terminates it, then kills it; never rejects. */
  shutdown({ withinMs = 6000 }: ShutdownOptions = {}): Promise<SidecarExit> {
    this.#leaving ??= this.#leave(withinMs)
    return this.#leaving
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown().then(() => {})
  }

  async #leave(withinMs: number): Promise<SidecarExit> {
    const { input, kill, terminate } = this.#pipe
    const gone = await climb(this.exited, [
      // The sidecar promises to be gone within three seconds, and does it in a few milliseconds.
      { step: () => this.#connection.call("shutdown", {}), waitMs: (withinMs * 4) / 6 },
      { step: () => input.end(), waitMs: withinMs / 6 },
      { step: terminate, waitMs: withinMs / 6 },
      { step: kill, waitMs: killMs }
    ])
    return gone ? this.exited : { exitCode: null, signal: null, detail: "it could not be killed" }
  }

  /** A turn must not wait for ever because of the words that came with the answer. */
  #approve(approvalId: string, approval: Approval): void {
    this.#connection.call("approval_response", { approvalId, ...approval }, (answer) => {
      if (answer.ok || answer.error instanceof SidecarGone || approval.reason === undefined) return
      const again = () => this.#connection.call("approval_response", { approvalId, approved: approval.approved })
      void this.#connection.ready().then(again)
    })
  }

  #sendPlain(payload: RequestPayload<"send_message">, settle: (answer: Answer) => void): void {
    const turn = new LiveTurn(payload.sessionId, payload.text)
    turn.mute()
    this.#desk.send(turn, payload, settle)
  }
}

/** How long a killed process may take to be gone, in milliseconds. */
const killMs = 3000
