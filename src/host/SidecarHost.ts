import type { Readable, Writable } from "node:stream"
import type { EventFrame, EventPayload, EventType, SidecarEvent } from "../protocol/Event.ts"
import type { Extension, HelloResult, RequestPayload, RequestType, ResponsePayload } from "../protocol/Request.ts"
import { type Approval, Approvals, type OnApproval } from "./Approvals.ts"
import { nodeEnv, nodeFlags, resolveBin } from "./BinPath.ts"
import { spawnChild } from "./ChildPipe.ts"
import { Connection, type RequestOutcome } from "./Connection.ts"
import { EventListeners, runCallback } from "./EventListeners.ts"
import { type SidecarExit, SidecarGone } from "./HostError.ts"
import { attachStreams, type Pipe } from "./Pipe.ts"
import { type SentTurn, TrackedTurn } from "./SentTurn.ts"
import { runShutdownSteps } from "./ShutdownSteps.ts"
import { TurnTracker } from "./TurnTracker.ts"

// Every type that the host takes or gives can be imported from here, so that a host needs no other module of the
// package.
export type * from "../protocol/Event.ts"
export type * from "../protocol/Request.ts"
export type * from "../protocol/SessionState.ts"
export type { ResponseErrorCode, SidecarFrame, SidecarResponse } from "../protocol/Frame.ts"
export type { Approval, ApprovalRequest, OnApproval } from "./Approvals.ts"
export { BinNotFound, EventsLost, RequestFailed, type SidecarExit, SidecarGone } from "./HostError.ts"
export type { SentTurn, TurnPiece, TurnResult } from "./SentTurn.ts"

export interface HostOptions {
  /** Answers approval requests. Without it every request is denied, even if a listener sees the request's event. */
  readonly onApproval?: OnApproval | undefined
  /** Called with every frame as it was read, including those of a newer protocol, which nothing else here shows. */
  readonly onFrame?: ((frame: unknown) => void) | undefined
  /** Called with every line of the output that is not JSON, such as the banner of a wrapper. */
  readonly onNoise?: ((line: string) => void) | undefined
}

export interface SpawnOptions extends HostOptions {
  /**
   * The path of the sidecar's `main.js`; by default that of this package. A host that is bundled must give it. It is run
   * by `command` if that is given, else by this process's own Node (22.19 or newer) or Electron.
   */
  readonly bin?: string | undefined
  /** Another program to run: a Node, with `bin`; without `bin` the sidecar itself, as a single executable. */
  readonly command?: string | undefined
  /** Arguments for the program. */
  readonly args?: ReadonlyArray<string> | undefined
  /** The whole environment of the sidecar; by default that of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined
  /** The working directory of the sidecar; by default that of this process. */
  readonly cwd?: string | undefined
  /** Called with what the sidecar writes to stderr, in pieces of any length. */
  readonly onStderr?: ((text: string) => void) | undefined
}

export interface AttachOptions extends HostOptions {
  /** The stream that requests are written to. */
  readonly input: Writable
  /** The stream that frames are read from. */
  readonly output: Readable
}

export interface SendOptions {
  /** The most steps that the turn may take; by default the sidecar's setting `agent.maxSteps`. */
  readonly maxSteps?: number | undefined
  /**
   * Cancels the turn; its result is then `cancelled`. Cancelling a running turn also ends the turns queued behind it. If
   * the signal is aborted already, nothing is sent and the turn rejects with the signal's reason.
   */
  readonly signal?: AbortSignal | undefined
}

export interface ShutdownOptions {
  /** How long the sidecar has before it is killed, in milliseconds; by default 6000. */
  readonly withinMs?: number | undefined
}

/** The payload argument of a request: optional if the protocol allows null. */
export type RequestArguments<T extends RequestType> =
  null extends RequestPayload<T> ? [payload?: RequestPayload<T>] : [payload: RequestPayload<T>]

/** How long a killed process has to exit, in milliseconds. */
const killMs = 3000

/**
 * A sidecar from the side of its host. Nothing is retried. A rejected promise that nobody awaits does not end the
 * host's process.
 */
export class SidecarHost implements AsyncDisposable {
  /** Resolves when the sidecar has ended, for whatever reason. Never rejects. */
  readonly exited: Promise<SidecarExit>
  readonly #pipe: Pipe
  readonly #connection: Connection
  readonly #listeners = new EventListeners()
  readonly #turns: TurnTracker
  #shutdown: Promise<SidecarExit> | undefined

  /**
   * Starts a sidecar as a child process. If it cannot be started, requests reject with `SidecarGone`. Throws `BinNotFound`
   * if there is no bin to start.
   */
  static spawn(options: SpawnOptions = {}): SidecarHost {
    const { args = [], bin, command, cwd, env = process.env, onStderr = () => {} } = options
    const script = command !== undefined && bin === undefined ? [] : [resolveBin(bin)]
    const run =
      command === undefined
        ? { command: process.execPath, args: [...nodeFlags(), ...script, ...args], env: nodeEnv(env) }
        : { command, args: [...script, ...args], env }
    const pipe = spawnChild({ ...run, cwd, onStderr: (text) => runCallback(() => onStderr(text)) })
    return new SidecarHost(pipe, options)
  }

  /** Connects to a sidecar over two streams, which may be one duplex stream. */
  static attach(options: AttachOptions): SidecarHost {
    return new SidecarHost(attachStreams(options.input, options.output), options)
  }

  private constructor(pipe: Pipe, { onApproval, onFrame, onNoise }: HostOptions) {
    const approvals = new Approvals({
      onApproval,
      respond: (approvalId, approval) => this.#respond(approvalId, approval)
    })
    this.#pipe = pipe
    this.#connection = new Connection(pipe, {
      onEvent: (event) => {
        this.#turns.onEvent(event)
        // Listeners may show an approval request before the handler asks about it.
        this.#listeners.dispatch(event)
        approvals.onEvent(event)
      },
      onFrame: (frame) => runCallback(() => onFrame?.(frame)),
      onNoise: (line) => runCallback(() => onNoise?.(line)),
      onGone: (gone) => {
        approvals.close()
        this.#listeners.close(this.#shutdown === undefined ? gone : undefined)
      }
    })
    this.#turns = new TurnTracker(this.#connection)
    this.exited = this.#connection.gone.then(({ detail, exitCode, signal }) => ({ exitCode, signal, detail }))
  }

  /** The child's process id; undefined if it was not started or there is no child. */
  get pid(): number | undefined {
    return this.#pipe.pid
  }

  /** The extensions that `hello` has granted. */
  get extensions(): ReadonlySet<Extension> {
    return this.#connection.granted
  }

  /** Sends a request. Rejects with `RequestFailed`, or with `SidecarGone` if the sidecar has ended. */
  request<T extends RequestType>(type: T, ...[payload]: RequestArguments<T>): Promise<ResponsePayload<T>> {
    const response = new Promise<ResponsePayload<T>>((resolve, reject) => {
      const settle = (outcome: RequestOutcome) =>
        outcome.ok ? resolve(outcome.payload as ResponsePayload<T>) : reject(outcome.error)
      if (type === "send_message") this.#sendUniterated(payload as RequestPayload<"send_message">, settle)
      else this.#connection.call(type, payload, settle)
    })
    // A host must not end because its sidecar did, even if nobody awaits the response.
    response.catch(() => {})
    return response
  }

  /** Asks for extensions of the protocol (contract 9). The response's `extensions` are those that were granted. */
  hello(extensions: ReadonlyArray<Extension>, client?: { name: string; version: string }): Promise<HelloResult> {
    return this.request("hello", client === undefined ? { extensions } : { extensions, client })
  }

  /** Sends a message, which begins a turn. Messages may be sent during a turn; a session runs its turns in order. */
  send(sessionId: string, text: string, { maxSteps, signal }: SendOptions = {}): SentTurn {
    const turn = new TrackedTurn(sessionId, text)
    if (signal?.aborted === true) {
      turn.fail(signal.reason)
      return turn
    }
    const abort = () => this.#turns.abort(turn)
    signal?.addEventListener("abort", abort, { once: true })
    const payload = maxSteps === undefined ? { sessionId, text } : { sessionId, text, maxSteps }
    this.#turns.send(turn, payload, () => signal?.removeEventListener("abort", abort))
    return turn
  }

  /** Calls the listener with each event of one type, at once and in order. Returns a function that removes it. */
  on<T extends EventType>(type: T, listener: (payload: EventPayload<T>, event: EventFrame<T>) => void): () => void {
    return this.#listeners.on(type, listener)
  }

  /** Calls the listener with each event, at once and in order. Returns a function that removes it. */
  onEvent(listener: (event: SidecarEvent) => void): () => void {
    return this.#listeners.onEvent(listener)
  }

  /**
   * Iterates over all events from now on, or over those of one session. For the newest session, if it has had no turn
   * yet, the iterator begins with the session's first event, which comes before the response with the session's id.
   *
   * Ends after `shutdown`, and with the error `SidecarGone` if the sidecar ends otherwise. Neighbouring deltas that have
   * not been read are joined. If more than 10,000 events are unread it ends with the error `EventsLost`.
   */
  events(options: { readonly sessionId?: string | undefined } = {}): AsyncIterableIterator<SidecarEvent, undefined> {
    return this.#listeners.events(options.sessionId)
  }

  /** Resolves when the sidecar has read what was sent, or has ended: back-pressure for hosts that send a lot. */
  ready(): Promise<void> {
    return this.#connection.ready()
  }

  /**
   * Ends the sidecar: by the request `shutdown`, then by the end of its input, then by SIGTERM, then by SIGKILL; each
   * only if the one before did not help in time. Never rejects.
   */
  shutdown({ withinMs = 6000 }: ShutdownOptions = {}): Promise<SidecarExit> {
    this.#shutdown ??= this.#runShutdown(withinMs)
    return this.#shutdown
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown().then(() => {})
  }

  async #runShutdown(withinMs: number): Promise<SidecarExit> {
    const { input, kill, terminate } = this.#pipe
    const ended = await runShutdownSteps(this.exited, [
      // The sidecar promises to exit within three seconds of the request, and usually takes a few milliseconds.
      { run: () => this.#connection.call("shutdown", {}), waitMs: (withinMs * 4) / 6 },
      { run: () => input.end(), waitMs: withinMs / 6 },
      { run: terminate, waitMs: withinMs / 6 },
      { run: kill, waitMs: killMs }
    ])
    return ended ? this.exited : { exitCode: null, signal: null, detail: "it could not be killed" }
  }

  /** Sends an approval; if the sidecar refuses it, once more without its reason and its grant, so that the turn does not hang. */
  #respond(approvalId: string, approval: Approval): void {
    this.#connection.call("approval_response", { approvalId, ...approval }, (outcome) => {
      if (outcome.ok || outcome.error instanceof SidecarGone) return
      if (approval.reason === undefined && approval.grant === undefined) return
      const again = () => this.#connection.call("approval_response", { approvalId, approved: approval.approved })
      void this.#connection.ready().then(again)
    })
  }

  /** Sends a message by `request`: its turn is tracked like every other, but nobody reads its pieces. */
  #sendUniterated(payload: RequestPayload<"send_message">, settle: (outcome: RequestOutcome) => void): void {
    const turn = new TrackedTurn(payload.sessionId, payload.text)
    turn.discardPieces()
    this.#turns.send(turn, payload, settle)
  }
}
