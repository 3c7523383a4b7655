import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import type { Config } from "../config/Config.ts"
import type { EventFrame, EventType } from "../protocol/Event.ts"
import type { SidecarFrame, SidecarResponse } from "../protocol/Frame.ts"
import type { RequestType } from "../protocol/Request.ts"
import type { SessionServices } from "../session/SessionServices.ts"
import { type PipeLayers, run } from "../Serving.ts"
import { Lifeline } from "../stdio/Lifeline.ts"
import type { StdoutSink } from "../stdio/StdoutSink.ts"
import * as MemoryStdio from "./MemoryStdio.ts"
import { type SentRequest, sentRequest } from "./ResponseChecker.ts"

/** A host in the same process as its sidecar, without pipes between them. */
export interface TestHost {
  /** Sends a request and waits for its response. */
  request(type: RequestType, payload?: unknown): Effect.Effect<SidecarResponse>
  /** Sends a request at once, whatever its type; the effect waits for its response. */
  post(type: string, payload?: unknown): Effect.Effect<SidecarResponse>
  /** Writes any input to the sidecar's stdin; `ids` are the ids of the requests in it. */
  write(input: string | Uint8Array, ids?: ReadonlyArray<string>): void
  /** Waits for the first event of a type that fits; earlier events count too. */
  event<T extends EventType>(type: T, fits?: (frame: EventFrame<T>) => boolean): Effect.Effect<EventFrame<T>>
  /** Waits for the first frame that fits; earlier frames count too. */
  frame(fits: (frame: SidecarFrame) => boolean): Effect.Effect<SidecarFrame>
  /** All frames so far. */
  readonly frames: ReadonlyArray<SidecarFrame>
  /** All requests so far. */
  readonly requests: ReadonlyArray<SentRequest>
  /** All output so far, as text. */
  readonly output: string
  readonly stdio: MemoryStdio.MemoryStdio
  /** Ends the input and waits for the end of the sidecar. */
  readonly end: Effect.Effect<void>
  /** Waits for the end of the sidecar. */
  readonly ended: Effect.Effect<void>
}

export interface Options {
  readonly services: Layer.Layer<SessionServices, { readonly message: string }, Config | Lifeline | StdoutSink>
  readonly config: Layer.Layer<Config>
  /** Replaces layers of the sidecar. The default lifeline is `Lifeline.layerInProcess`, which handles no signals. */
  readonly layers?: Partial<PipeLayers>
}

/** Runs a sidecar in this process and returns its host. */
export const make = ({ config, layers = {}, services }: Options): Effect.Effect<TestHost, never, Scope.Scope> =>
  Effect.gen(function* () {
    const stdio = yield* MemoryStdio.make
    const frames: Array<SidecarFrame> = []
    const requests: Array<SentRequest> = []
    const waiters = new Set<{ fits: (frame: SidecarFrame) => boolean; match: Deferred.Deferred<SidecarFrame> }>()
    let output = ""
    let unfinished = ""

    stdio.onOutput((text) => {
      output += text
      const lines = (unfinished + text).split("\n")
      unfinished = lines.pop() ?? ""
      for (const line of lines) {
        const frame = JSON.parse(line) as SidecarFrame
        frames.push(frame)
        for (const one of waiters) {
          if (!one.fits(frame)) continue
          waiters.delete(one)
          Deferred.doneUnsafe(one.match, Effect.succeed(frame))
        }
      }
    })

    const frame = (fits: (frame: SidecarFrame) => boolean) =>
      Effect.suspend(() => {
        const past = frames.find(fits)
        if (past !== undefined) return Effect.succeed(past)
        const match = Deferred.makeUnsafe<SidecarFrame>()
        waiters.add({ fits, match })
        return Deferred.await(match)
      })

    const post = (type: string, payload: unknown = {}) => {
      const id = `r${requests.length}`
      requests.push(sentRequest(id, type, payload))
      stdio.write(`${JSON.stringify({ kind: "request", id, type, payload })}\n`)
      return Effect.map(
        frame((each) => each.kind === "response" && each.correlationId === id),
        (response) => response as SidecarResponse
      )
    }

    const fiber = yield* run(services, { lifeline: Lifeline.layerInProcess, ...layers }).pipe(
      Effect.provide(config),
      Effect.provideService(Stdio.Stdio, stdio.stdio),
      Effect.exit,
      Effect.forkScoped
    )
    const ended = Effect.asVoid(Fiber.join(fiber))

    return {
      request: (type, payload) => Effect.suspend(() => post(type, payload)),
      post,
      write: (input, ids = []) => {
        for (const id of ids) requests.push({ id, type: "raw" })
        stdio.write(input)
      },
      event: <T extends EventType>(type: T, fits: (event: EventFrame<T>) => boolean = () => true) =>
        Effect.map(
          frame((each) => each.kind === "event" && each.type === type && fits(each as EventFrame<T>)),
          (event) => event as EventFrame<T>
        ),
      frame,
      frames,
      requests,
      get output() {
        return output
      },
      stdio,
      end: Effect.andThen(stdio.end, ended),
      ended
    }
  })
