import type { Extension, HelloResult, RequestType } from "../protocol/Request.ts"
import type { EventPayload, SidecarEvent } from "../protocol/Event.ts"
import type { SidecarResponse } from "../protocol/Frame.ts"
import { RequestFailed, SidecarGone } from "./HostError.ts"
import { isKnownEvent, isObject } from "./KnownEvents.ts"
import { LineReader } from "./LineReader.ts"
import type { Pipe } from "./Pipe.ts"

/** The longest frame that is read, in bytes: far more than any, and half of what a string can hold. */
const maxFrameBytes = 256 * 1024 * 1024

/** How much may wait for a sidecar that does not read, in bytes; then requests fail with `not_sent`. */
const maxUnreadBytes = 64 * 1024 * 1024

/** How long after its input has broken a sidecar may still tell how it ended, in milliseconds. */
const goneMs = 2000

/** What came of a request. */
export type Answer =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly error: RequestFailed | SidecarGone }

export interface ConnectionListener {
  readonly onEvent: (event: SidecarEvent) => void
  /** Every frame, before anything else is done with it. */
  readonly onFrame: (frame: unknown) => void
  /** A line that is no JSON. */
  readonly onNoise: (line: string) => void
  /** After the last frame, and after all requests have failed. */
  readonly onGone: (gone: SidecarGone) => void
}

/** Frames over a pipe: requests out, each with its one answer, and events in. */
export class Connection {
  readonly gone: Promise<SidecarGone>
  /** The extensions that `hello` has granted. */
  granted: ReadonlySet<Extension> = new Set()
  readonly #pipe: Pipe
  readonly #listener: ConnectionListener
  readonly #reader = new LineReader(maxFrameBytes)
  readonly #waiting = new Map<string, { readonly type: RequestType; readonly onAnswer: (answer: Answer) => void }>()
  #over: SidecarGone | undefined
  #fault: string | undefined

  constructor(pipe: Pipe, listener: ConnectionListener) {
    this.#pipe = pipe
    this.#listener = listener
    pipe.output.on("data", this.#read)
    this.gone = pipe.ended.then((exit) => {
      this.#hear(this.#reader.end())
      const gone = new SidecarGone({ ...exit, detail: this.#fault ?? exit.detail })
      this.#over = gone
      for (const { onAnswer } of this.#waiting.values()) onAnswer({ ok: false, error: gone })
      this.#waiting.clear()
      listener.onGone(gone)
      return gone
    })
  }

  /** Sends a request. `onAnswer` hears its answer, in order with the events around it. */
  call(type: RequestType, payload: unknown, onAnswer: (answer: Answer) => void = () => {}): void {
    if (this.#over === undefined && !this.#pipe.input.writable) {
      return void this.#howItEnded().then((error) => onAnswer({ ok: false, error }))
    }
    const error = this.#over ?? this.#overfull()
    if (error !== undefined) return onAnswer({ ok: false, error })
    const id = globalThis.crypto.randomUUID()
    let line: string
    try {
      line = JSON.stringify({ kind: "request", id, type, payload: payload ?? {} })
    } catch (cause) {
      return onAnswer({ ok: false, error: new RequestFailed("not_sent", `${type} is no JSON: ${String(cause)}`) })
    }
    this.#waiting.set(id, { type, onAnswer })
    this.#pipe.input.write(`${line}\n`)
  }

  /** Waits until the sidecar has taken what was sent, or is gone. */
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

  /** A broken input is heard of before the end of the sidecar that it comes from. */
  #howItEnded(): Promise<SidecarGone> {
    let timer: NodeJS.Timeout | undefined
    const livesOn = new Promise<SidecarGone>((resolve) => {
      const closed = { exitCode: null, signal: null, detail: "its input is closed" }
      timer = setTimeout(() => resolve(new SidecarGone(closed)), goneMs)
    })
    return Promise.race([this.gone, livesOn]).finally(() => clearTimeout(timer))
  }

  #overfull(): RequestFailed | undefined {
    const { input } = this.#pipe
    if (input.writableLength <= maxUnreadBytes) return undefined
    return new RequestFailed("not_sent", `the sidecar does not read: ${input.writableLength} bytes wait`)
  }

  readonly #read = (chunk: Uint8Array | string): void => {
    const lines = this.#reader.read(chunk)
    for (const line of lines ?? []) this.#hear(line)
    if (lines !== undefined) return
    this.#fault = `it wrote a line of more than ${maxFrameBytes} bytes`
    this.#pipe.output.off("data", this.#read).resume()
    this.#pipe.kill()
  }

  #hear(line: string): void {
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
      if (frame.type === "error" && frame.payload.code === "parse_error") this.#unread(frame.payload)
    } else if (isResponse(frame)) this.#answered(frame)
  }

  /** A line that the sidecar did not read, as one that is too long, gets no answer; what is quoted of it tells which. */
  #unread({ message, stack }: EventPayload<"error">): void {
    const [, id = ""] = /^\{"kind":"request","id":"([^"]+)"/.exec(stack ?? "") ?? []
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    waiting.onAnswer({ ok: false, error: new RequestFailed("not_sent", `${waiting.type}: ${message}`) })
  }

  #answered(frame: SidecarResponse): void {
    const waiting = this.#waiting.get(frame.correlationId)
    if (waiting === undefined) return
    this.#waiting.delete(frame.correlationId)
    if (!frame.ok) {
      const { code, message } = frame.error
      return waiting.onAnswer({ ok: false, error: new RequestFailed(code, message) })
    }
    if (waiting.type === "hello") this.granted = new Set((frame.payload as HelloResult).extensions)
    waiting.onAnswer({ ok: true, payload: frame.payload })
  }
}

const isResponse = (frame: unknown): frame is SidecarResponse =>
  isObject(frame) &&
  frame["kind"] === "response" &&
  typeof frame["correlationId"] === "string" &&
  (frame["ok"] === true || isObject(frame["error"]))
