import { PassThrough } from "node:stream"
import type { EventPayload, EventType } from "../../src/protocol/Event.ts"
import type { RequestType } from "../../src/protocol/Request.ts"
import { type HostOptions, SidecarHost } from "../../src/host/SidecarHost.ts"
import { awaitedPromise } from "../support/Patience.ts"

export interface ReadRequest {
  readonly id: string
  readonly type: string
  readonly payload: any
}

export const sessionId = "s-1"

/** A sidecar in this process, at the other end of two streams: the test writes its frames and reads the requests. */
export class Peer {
  readonly toHost = new PassThrough()
  readonly fromHost = new PassThrough()
  readonly requests: Array<ReadRequest> = []
  /** The lines that the requests were parsed from. */
  readonly lines: Array<string> = []
  #next = 0
  #waiting: Array<() => void> = []
  #rest = ""

  constructor() {
    this.fromHost.setEncoding("utf8").on("data", (text: string) => {
      const lines = (this.#rest + text).split("\n")
      this.#rest = lines.pop() ?? ""
      for (const line of lines) {
        this.lines.push(line)
        this.requests.push(JSON.parse(line))
      }
      for (const wake of this.#waiting.splice(0)) wake()
    })
  }

  host(options: HostOptions = {}): SidecarHost {
    return SidecarHost.attach({ ...options, input: this.fromHost, output: this.toHost })
  }

  /** The next request that has not been taken yet; it must be of this type, if one is named. */
  async take(type?: RequestType): Promise<ReadRequest> {
    while (this.requests.length <= this.#next) {
      const more = new Promise<void>((resolve) => this.#waiting.push(resolve))
      await awaitedPromise(`a request ${type ?? "of any type"} of the host`, more)
    }
    const request = this.requests[this.#next++]!
    if (type !== undefined && request.type !== type)
      throw new Error(`expected ${type}, read ${JSON.stringify(request)}`)
    return request
  }

  write(...frames: ReadonlyArray<object | string>): void {
    this.toHost.write(frames.map((frame) => (typeof frame === "string" ? frame : lineOf(frame))).join(""))
  }

  respond({ id }: ReadRequest, payload: unknown): void {
    this.write(response(id, payload))
  }

  /** A round trip, after which the host has handled everything that was written before. */
  async settle(host: SidecarHost): Promise<void> {
    const pong = host.request("ping")
    this.respond(await this.take("ping"), { ok: true })
    await pong
  }

  end(): void {
    this.toHost.end()
  }
}

export const lineOf = (frame: object): string => `${JSON.stringify(frame)}\n`

export const response = (correlationId: string, payload: unknown) => ({
  kind: "response",
  id: "r",
  correlationId,
  ok: true,
  payload
})

export const failure = (correlationId: string, code: string, message: string) => ({
  kind: "response",
  id: "r",
  correlationId,
  ok: false,
  payload: {},
  error: { code, message }
})

/** An event of the session, unless the payload names another. */
export const event = <T extends EventType>(type: T, payload: Partial<EventPayload<T>>) => ({
  kind: "event",
  id: "e",
  type,
  payload: { sessionId, ...payload }
})

/** What a promise rejects with. */
export const rejection = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    (value) => {
      throw new Error(`it resolved with ${JSON.stringify(value)}`)
    },
    (error: unknown) => error
  )

/** All that an iterator yields, and the error that it ends with. */
export const drain = async <A>(items: AsyncIterable<A>): Promise<{ items: Array<A>; error?: any }> => {
  const all: Array<A> = []
  try {
    for await (const item of items) all.push(item)
  } catch (error) {
    return { items: all, error }
  }
  return { items: all }
}
