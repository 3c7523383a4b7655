import type { Extension, HelloResult, RequestType } from "../protocol/Request.ts"
import type { EventPayload, SidecarEvent } from "../protocol/Event.ts"
import type { SidecarResponse } from "../protocol/Frame.ts"
import { RequestFailed, SidecarGone } from "./HostError.ts"
import { isKnownEvent, isObject } from "./KnownEvents.ts"
import { LineReader } from "./LineReader.ts"
import type { Pipe } from "./Pipe.ts"

/** The longest frame that is read, in bytes: far above any real frame, and half of what a string can hold. */
const maxFrameBytes = 256 * 1024 * 1024

/** How many bytes may wait for a sidecar that does not read; beyond that, requests fail with `not_sent`. */
const maxUnreadBytes = 64 * 1024 * 1024

/** How long a request to a closed input waits for the exit of the sidecar, in milliseconds. */
const exitWaitMs = 2000

/** The outcome of a request. */
export type RequestOutcome =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly error: RequestFailed | SidecarGone }

export interface ConnectionListener {
  readonly onEvent: (event: SidecarEvent) => void
  /** Called with every frame, before it is handled. */
  readonly onFrame: (frame: unknown) => void
  /** Called with every line that is not JSON. */
  readonly onNoise: (line: string) => void
  /** Called after the last frame, and after all pending requests have failed. */
  readonly onGone: (gone: SidecarGone) => void
}

/** Frames over a pipe: sends requests, matches each to its response, and delivers events. */
export class Connection {
  /** Resolves when the sidecar has ended. */
  readonly gone: Promise<SidecarGone>
  /** The extensions that `hello` has granted. */
  granted: ReadonlySet<Extension> = new Set()
  readonly #pipe: Pipe
  readonly #listener: ConnectionListener
  readonly #reader = new LineReader(maxFrameBytes)
  readonly #pending = new Map<
    string,
    { readonly type: RequestType; readonly onOutcome: (outcome: RequestOutcome) => void }
  >()
  #goneError: SidecarGone | undefined
  /** Why the sidecar ended, if it reported it or broke the protocol; replaces the end of stderr in the error. */
  #fault: string | undefined

  constructor(pipe: Pipe, listener: ConnectionListener) {
    this.#pipe = pipe
    this.#listener = listener
    pipe.output.on("data", this.#onData)
    this.gone = pipe.ended.then((exit) => {
      this.#onLine(this.#reader.end())
      const gone = new SidecarGone({ ...exit, detail: this.#fault ?? exit.detail })
      this.#goneError = gone
      for (const { onOutcome } of this.#pending.values()) onOutcome({ ok: false, error: gone })
      this.#pending.clear()
      listener.onGone(gone)
      return gone
    })
  }

  /** Sends a request. `onOutcome` is called once, in order with the events before and after the response. */
  call(type: RequestType, payload: unknown, onOutcome: (outcome: RequestOutcome) => void = () => {}): void {
    if (this.#goneError === undefined && !this.#pipe.input.writable) {
      return void this.#goneOrClosed().then((error) => onOutcome({ ok: false, error }))
    }
    const error = this.#goneError ?? this.#backpressureError()
    if (error !== undefined) return onOutcome({ ok: false, error })
    const id = globalThis.crypto.randomUUID()
    let line: string
    try {
      line = JSON.stringify({ kind: "request", id, type, payload: payload ?? {} })
    } catch (cause) {
      return onOutcome({ ok: false, error: new RequestFailed("not_sent", `${type} is no JSON: ${String(cause)}`) })
    }
    this.#pending.set(id, { type, onOutcome })
    this.#pipe.input.write(`${line}\n`)
  }

  /** Resolves when the sidecar has read what was sent, or its input is closed. */
  ready(): Promise<void> {
    const { input } = this.#pipe
    if (!input.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        input.off("drain", done).off("close", done)
        resolve()
      }
      input.on("drain", done).on("close", done)
    })
  }

  /** The error for a request to a closed input. The exit that closed it is usually known only some time later. */
  #goneOrClosed(): Promise<SidecarGone> {
    let timer: NodeJS.Timeout | undefined
    const stillRunning = new Promise<SidecarGone>((resolve) => {
      const closed = { exitCode: null, signal: null, detail: "its input is closed" }
      timer = setTimeout(() => resolve(new SidecarGone(closed)), exitWaitMs)
    })
    return Promise.race([this.gone, stillRunning]).finally(() => clearTimeout(timer))
  }

  #backpressureError(): RequestFailed | undefined {
    const { input } = this.#pipe
    if (input.writableLength <= maxUnreadBytes) return undefined
    return new RequestFailed("not_sent", `the sidecar does not read: ${input.writableLength} bytes wait`)
  }

  readonly #onData = (chunk: Uint8Array | string): void => {
    const lines = this.#reader.read(chunk)
    for (const line of lines ?? []) this.#onLine(line)
    if (lines !== undefined) return
    this.#fault = `it wrote a line of more than ${maxFrameBytes} bytes`
    this.#pipe.output.off("data", this.#onData).resume()
    this.#pipe.kill()
  }

  #onLine(line: string): void {
    if (line.trim() === "") return
    let frame: unknown
    try {
      frame = JSON.parse(line)
    } catch {
      return this.#listener.onNoise(line)
    }
    this.#listener.onFrame(frame)
    if (isKnownEvent(frame)) {
      if (frame.type === "error" && frame.payload.code === "config_invalid") this.#fault = frame.payload.message
      this.#listener.onEvent(frame)
      if (frame.type === "error" && frame.payload.code === "parse_error") this.#onParseError(frame.payload)
    } else if (isResponse(frame)) this.#onResponse(frame)
  }

  /** Fails the request whose line the sidecar did not parse: it gets no response, but `stack` quotes its beginning. */
  #onParseError({ message, stack }: EventPayload<"error">): void {
    const [, id = ""] = /^\{"kind":"request","id":"([^"]+)"/.exec(stack ?? "") ?? []
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    this.#pending.delete(id)
    pending.onOutcome({ ok: false, error: new RequestFailed("not_sent", `${pending.type}: ${message}`) })
  }

  #onResponse(frame: SidecarResponse): void {
    const pending = this.#pending.get(frame.correlationId)
    if (pending === undefined) return
    this.#pending.delete(frame.correlationId)
    if (!frame.ok) {
      const { code, message } = frame.error
      return pending.onOutcome({ ok: false, error: new RequestFailed(code, message) })
    }
    if (pending.type === "hello") this.granted = new Set((frame.payload as HelloResult).extensions)
    pending.onOutcome({ ok: true, payload: frame.payload })
  }
}

const isResponse = (frame: unknown): frame is SidecarResponse =>
  isObject(frame) &&
  frame["kind"] === "response" &&
  typeof frame["correlationId"] === "string" &&
  (frame["ok"] === true || isObject(frame["error"]))
