import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Config } from "../../config/Config.ts"
import { LlamaClient, type ModelEvent, type ModelRequest, type ServerState } from "../LlamaClient.ts"
import { LlamaError, Loading, reworded, Unreachable } from "../LlamaError.ts"
import * as LlamaHttp from "../LlamaHttp.ts"
import { ManagedServer } from "./ManagedServer.ts"

/** How long a probe waits for a server that is being started, in milliseconds. */
const probePatienceMs = 2500

/** For how long a request waits before that is told, in milliseconds. */
const unnoticedMs = 50

/** What a server needs to notice that its streams have been closed, in milliseconds: TERM in mid-stream may hang it. */
const closingMs = 100

/** How long after a broken connection the end of the server may be noticed, in milliseconds. */
const noticeMs = 1000

/** How often in all a request is made of servers that end before they answer it (contract 6). */
const attempts = 3

const noAnswer = "the server ended before it answered"

/** The model in a llama-server of our own: what is asked of it waits until it listens, through its restarts. */
export const layer: Layer.Layer<LlamaClient, never, Config> = Layer.effect(
  LlamaClient,
  Effect.gen(function* () {
    const settings = yield* Config
    const server = yield* ManagedServer
    const client = yield* LlamaHttp.make(settings, server.url)
    const { requestTimeoutMs } = settings.llama

    const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
    let closedAt = -Infinity
    const closed = Effect.map(now, (at) => void (closedAt = at))
    yield* Effect.addFinalizer(() => Effect.flatMap(now, (at) => Effect.sleep(Math.max(0, closedAt + closingMs - at))))

    const listening = server.listening.pipe(
      Effect.timeoutOrElse({
        duration: requestTimeoutMs,
        orElse: () =>
          Effect.fail(Loading.make({ detail: `llama-server has not begun to listen in ${requestTimeoutMs} ms` }))
      }),
      Effect.mapError((reason) => LlamaError.make({ reason }))
    )

    // Waiting that nobody notices need not be told.
    const loading = Stream.unwrap(
      Effect.map(
        Effect.timeoutOption(Effect.exit(server.listening), unnoticedMs),
        (listens): Stream.Stream<ModelEvent> =>
          listens._tag === "None" ? Stream.succeed({ _tag: "Loading" }) : Stream.empty
      )
    )

    const attempt = (request: ModelRequest, left: number): Stream.Stream<ModelEvent, LlamaError> =>
      Stream.concat(
        loading,
        Stream.unwrap(
          Effect.as(
            listening,
            untilItDies(client.stream(request)).pipe(
              Stream.ensuring(closed),
              Stream.catch((error) => Stream.unwrap(unlessItDied(error, request, left)))
            )
          )
        )
      )

    /**
     * A server that ends before it has answered ends the call at once: the client's own next attempt would reach the
     * server that is started in its place, and the attempts of both would multiply.
     */
    const untilItDies = (call: Stream.Stream<ModelEvent, LlamaError>) =>
      Stream.suspend(() => {
        let hasBegun = false
        const died = Effect.flatMap(server.gone, () =>
          hasBegun ? Effect.never : Effect.fail(LlamaError.make({ reason: Unreachable.make({ detail: noAnswer }) }))
        )
        return call.pipe(
          Stream.tap(() => Effect.sync(() => (hasBegun = true))),
          Stream.interruptWhen(died)
        )
      })

    const unlessItDied = Effect.fnUntraced(function* (error: LlamaError, request: ModelRequest, left: number) {
      const { _tag } = error.reason
      if (_tag !== "Unreachable" && _tag !== "Cut") return Stream.fail(error)
      const end = yield* Effect.timeoutOption(server.gone, noticeMs)
      if (end._tag === "None") return Stream.fail(error)
      if (_tag === "Unreachable" && left > 1) return attempt(request, left - 1)
      return Stream.fail(reworded(error, (detail) => `${detail}; ${end.value}`))
    })

    const stream = (request: ModelRequest) =>
      Stream.suspend(() => {
        let told = false
        const isNews = ({ _tag }: ModelEvent) => {
          if (_tag !== "Loading") return true
          const first = !told
          told = true
          return first
        }
        return Stream.filter(attempt(request, attempts), isNews)
      })

    const probe = Effect.result(server.listening).pipe(
      Effect.timeoutOption(probePatienceMs),
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
