import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Config } from "../../config/Config.ts"
import { LlamaClient, type ModelEvent, type ModelRequest, type ServerState } from "../LlamaClient.ts"
import { LlamaError, Loading, mapDetail, Unreachable } from "../LlamaError.ts"
import * as LlamaHttp from "../LlamaHttp.ts"
import { monotonicMs } from "../../domain/MonotonicTime.ts"
import { ManagedServer } from "./ManagedServer.ts"

/** How long a probe waits for a server that is starting, in milliseconds. */
const probeTimeoutMs = 2500

/** How long a request waits before a `Loading` event is sent, in milliseconds: shorter waits are not noticed. */
const loadingNoticeMs = 50

/** Time for the server to notice that its streams are closed, in milliseconds: TERM in mid-stream may hang it. */
const closingMs = 100

/** How long after a broken connection an exit of the server still counts as its cause, in milliseconds. */
const exitNoticeMs = 1000

/** Attempts of a request in all, if the server exits before it answers (contract 6). */
const attempts = 3

const noAnswer = "the server ended before it answered"

/** The model in the managed server. Requests wait until the server listens, through its restarts. */
export const layer: Layer.Layer<LlamaClient, never, Config> = Layer.effect(
  LlamaClient,
  Effect.gen(function* () {
    const settings = yield* Config
    const server = yield* ManagedServer
    const client = yield* LlamaHttp.make(settings, server.url)
    const { requestTimeoutMs } = settings.llama

    let closedAt = -Infinity
    const closed = Effect.map(monotonicMs, (at) => void (closedAt = at))
    yield* Effect.addFinalizer(() =>
      Effect.flatMap(monotonicMs, (at) => Effect.sleep(Math.max(0, closedAt + closingMs - at)))
    )

    const listening = server.listening.pipe(
      Effect.timeoutOrElse({
        duration: requestTimeoutMs,
        orElse: () =>
          Effect.fail(Loading.make({ detail: `llama-server has not begun to listen in ${requestTimeoutMs} ms` }))
      }),
      Effect.mapError((reason) => LlamaError.make({ reason }))
    )

    const loading = Stream.unwrap(
      Effect.map(
        Effect.timeoutOption(Effect.exit(server.listening), loadingNoticeMs),
        (listens): Stream.Stream<ModelEvent> =>
          listens._tag === "None" ? Stream.succeed({ _tag: "Loading" }) : Stream.empty
      )
    )

    const attempt = (request: ModelRequest, remainingAttempts: number): Stream.Stream<ModelEvent, LlamaError> =>
      Stream.concat(
        loading,
        Stream.unwrap(
          Effect.as(
            listening,
            failOnExit(client.stream(request)).pipe(
              Stream.ensuring(closed),
              Stream.catch((error) => Stream.unwrap(retryAfterExit(error, request, remainingAttempts)))
            )
          )
        )
      )

    /**
     * Fails a call as soon as the server exits before its answer. Otherwise the client's own retries would reach the
     * next server process, and its attempts and those here would multiply.
     */
    const failOnExit = (call: Stream.Stream<ModelEvent, LlamaError>) =>
      Stream.suspend(() => {
        let hasBegun = false
        const exited = Effect.flatMap(server.exited, () =>
          hasBegun ? Effect.never : Effect.fail(LlamaError.make({ reason: Unreachable.make({ detail: noAnswer }) }))
        )
        return call.pipe(
          Stream.tap(() => Effect.sync(() => (hasBegun = true))),
          Stream.interruptWhen(exited)
        )
      })

    const retryAfterExit = Effect.fnUntraced(function* (
      error: LlamaError,
      request: ModelRequest,
      remainingAttempts: number
    ) {
      const { _tag } = error.reason
      if (_tag !== "Unreachable" && _tag !== "Cut") return Stream.fail(error)
      const end = yield* Effect.timeoutOption(server.exited, exitNoticeMs)
      if (end._tag === "None") return Stream.fail(error)
      if (_tag === "Unreachable" && remainingAttempts > 1) return attempt(request, remainingAttempts - 1)
      return Stream.fail(mapDetail(error, (detail) => `${detail}; ${end.value}`))
    })

    const stream = (request: ModelRequest) =>
      Stream.suspend(() => {
        let isAnnounced = false
        return Stream.filter(attempt(request, attempts), ({ _tag }) => {
          if (_tag !== "Loading") return true
          const isFirst = !isAnnounced
          isAnnounced = true
          return isFirst
        })
      })

    const probe = Effect.result(server.listening).pipe(
      Effect.timeoutOption(probeTimeoutMs),
      Effect.flatMap((listens): Effect.Effect<ServerState> => {
        if (listens._tag === "None") {
          return Effect.succeed({ state: "loading", url: client.url, detail: "llama-server is being started" })
        }
        return Result.match(listens.value, {
          onFailure: ({ detail }) => Effect.succeed({ state: "unreachable", url: client.url, detail }),
          onSuccess: () => client.probe
        })
      })
    )

    return LlamaClient.of({
      ...client,
      stream: (request) => Stream.unwrap(Effect.as(server.start, stream(request))),
      probe,
      child: { start: server.start, losses: server.losses }
    })
  })
).pipe(Layer.provide(ManagedServer.layer))
