import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { withoutUngranted } from "../protocol/ExtensionKeys.ts"
import { eventLine, type EventErrorCode } from "../protocol/Frame.ts"
import type { HostRequest, RequestPayload, RequestType } from "../protocol/Request.ts"
import type { RequestEntry } from "../protocol/RequestEntry.ts"
import { requestTable } from "../protocol/RequestTable.ts"
import { decodePayload, type Incoming, StdinDecoder } from "../stdio/StdinDecoder.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"
import type { EarlyHandlers, EarlyType, Handler, SessionHandlers } from "./Handler.ts"
import { Reply, shuttingDown } from "./Reply.ts"

/** Why the router stopped serving requests by itself. */
export type LastRequest = { readonly _tag: "Shutdown"; readonly reply: Reply } | { readonly _tag: "EndOfInput" }

/** The handlers of all requests. */
export interface Handlers {
  readonly early: EarlyHandlers
  /** Used instead of `sessions` until a request comes that is not among them. */
  readonly idle: Partial<SessionHandlers>
  /** Run for each request that is not an early one; the first run may take a while, since it loads and builds them. */
  readonly sessions: Effect.Effect<SessionHandlers, { readonly message: string }>
}

/** The result of `serve`. */
export interface Served<A> {
  readonly last: LastRequest | A
  /** Waits until every accepted request has reached its handler: the first ones wait until those are built. */
  readonly handedOver: Effect.Effect<void>
  /** Waits until every accepted request is carried out, and those that arrived meanwhile are refused. */
  readonly settled: Effect.Effect<void>
}

/** Accepts the host's requests in order. Each gets exactly one response (contract 3, 5). */
export class RequestRouter extends Context.Service<
  RequestRouter,
  {
    /**
     * Serves requests until a `shutdown`, the end of the input, or the completion of `until`. Later requests are still
     * read, while the scope is open, and refused.
     */
    serve<A, E>(handlers: Handlers, until: Effect.Effect<A, E>): Effect.Effect<Served<A>, E, Scope.Scope>
  }
>()("atomic-agent-sidecar/router/RequestRouter") {
  static readonly layer = Layer.effect(
    RequestRouter,
    Effect.gen(function* () {
      const decoder = yield* StdinDecoder
      const sink = yield* StdoutSink

      const reportError = (message: string, code: EventErrorCode, stack?: string) =>
        sink.answer(eventLine({ type: "error", payload: { message, code, ...(stack === undefined ? {} : { stack }) } }))

      const serve = Effect.fnUntraced(function* <A, E>(handlers: Handlers, until: Effect.Effect<A, E>) {
        const last = Deferred.makeUnsafe<LastRequest>()
        const accepted = yield* FiberSet.make<void>()
        const inFiber = yield* FiberSet.runtime(accepted)<never>()
        /** The queue of requests that wait for the session handlers, which early requests overtake. */
        const line = yield* Semaphore.make(1)
        let waiting = 0
        let sessions: SessionHandlers | undefined
        let closing = false
        let batches = 0

        // Suspended, so that a handler that throws before it returns an effect does not end the reading.
        const answer = <A>(reply: Reply, run: () => Effect.Effect<A, { readonly message: string }>) =>
          Effect.catchCause(Effect.flatMap(Effect.suspend(run), reply.succeed), (cause) => reply.fail(cause))

        const accept = (request: HostRequest): Effect.Effect<void> => {
          const reply = new Reply(sink, request.id)
          if (closing) return refuseAll(reply)
          if (request.type === "shutdown") {
            // Set at once, since the next line may already be in the same batch.
            closing = true
            return Effect.asVoid(Deferred.succeed(last, { _tag: "Shutdown", reply }))
          }
          const { type } = request
          const payload = request.payload as never
          if (isEarly(type)) return carryOut(handlers.early[type] as Handler<typeof type>, payload, reply)
          const atOnce = waiting === 0 ? (sessions ?? handlers.idle)[type] : undefined
          if (atOnce !== undefined) return carryOut(atOnce as Handler<typeof type>, payload, reply)
          waiting++
          const inOrder = Effect.matchCauseEffect(handlers.sessions, {
            onFailure: (cause) => reply.fail(cause),
            onSuccess: (built) => {
              sessions = built
              return carryOut(built[type] as Handler<typeof type>, payload, reply)
            }
          }).pipe(line.withPermit, Effect.ensuring(Effect.sync(() => waiting--)))
          return Effect.sync(() => void inFiber(inOrder))
        }

        const carryOut = <T extends RequestType>(
          handler: Handler<T>,
          payload: RequestPayload<T>,
          reply: Reply
        ): Effect.Effect<void> => {
          switch (handler._tag) {
            case "Now":
              return answer(reply, () => handler.run(payload))
            case "Later":
              return Effect.sync(() => void inFiber(answer(reply, () => handler.run(payload))))
            case "Handed": {
              const handed = Effect.suspend(() => handler.run(payload, reply))
              return Effect.catchCause(handed, (cause) => reply.fail(cause))
            }
          }
        }

        const receive = (incoming: Incoming): Effect.Effect<void> => {
          switch (incoming._tag) {
            case "Request": {
              const { id, type } = incoming.request
              if (!isGranted(type)) return unknown(id, type)
              const payload = withoutUngranted(type, incoming.request.payload, sink.isGranted)
              const isWhole = payload === incoming.request.payload
              return accept(isWhole ? incoming.request : ({ ...incoming.request, payload } as HostRequest))
            }
            case "BadLine":
              return reportError(incoming.message, "parse_error", incoming.stack)
            case "BadFrame":
              return reportError(incoming.message, "invalid_frame")
            case "UnknownType":
              return unknown(incoming.id, incoming.type)
            case "BadPayload": {
              if (!isGranted(incoming.type)) return unknown(incoming.id, incoming.type)
              const granted = withoutUngranted(incoming.type, incoming.payload, sink.isGranted)
              if (granted !== incoming.payload) return receive(decodePayload(incoming.id, incoming.type, granted))
              const reply = new Reply(sink, incoming.id)
              return closing ? refuseAll(reply) : reply.fail(Cause.fail(new Error(incoming.message)))
            }
          }
        }

        const unknown = (id: string, type: string) => {
          const reply = new Reply(sink, id)
          return closing
            ? refuseAll(reply)
            : reply.refuse(`no handler registered for ${JSON.stringify(type)}`, "unknown_request")
        }

        yield* decoder.requests.pipe(
          Stream.runForEachArray((batch) => {
            batches++
            return Effect.forEach(batch, receive, { discard: true })
          }),
          Effect.ensuring(Deferred.succeed(last, { _tag: "EndOfInput" })),
          Effect.forkScoped
        )
        const ended = yield* Effect.raceFirst(Deferred.await(last), until).pipe(
          Effect.ensuring(Effect.sync(() => (closing = true)))
        )
        const quiet = Effect.suspend(() => {
          const before = batches
          return Effect.map(turnOfEventLoop, () => batches === before)
        }).pipe(Effect.repeat({ until: (still) => still }))
        return {
          last: ended,
          handedOver: line.withPermit(Effect.void),
          settled: Effect.andThen(FiberSet.awaitEmpty(accepted), quiet)
        }
      })

      const isGranted = (type: HostRequest["type"]): boolean => {
        const { extension }: RequestEntry = requestTable[type]
        return extension === undefined || sink.isGranted(extension)
      }

      return RequestRouter.of({ serve })
    })
  )
}

/** After one turn of the event loop everything that was in the pipe has been read. */
const turnOfEventLoop = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => setImmediate(() => resume(Effect.void)))
  return Effect.sync(() => clearImmediate(immediate))
})

const isEarly = (type: HostRequest["type"]): type is EarlyType => type === "ping" || type === "hello"

const refuseAll = (reply: Reply) => reply.fail(Cause.fail(new Error(shuttingDown)))
