import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { Config } from "../../config/Config.ts"
import { managedUrl } from "../../config/ManagedUrl.ts"
import { inherited } from "../../process/Environment.ts"
import { ExitDeadline } from "../../process/ExitDeadline.ts"
import { apiKey } from "../../config/Secrets.ts"
import { monotonicMs } from "../../domain/MonotonicTime.ts"
import { redactSecrets } from "../../domain/RedactSecrets.ts"
import * as HttpTransport from "../../http/HttpTransport.ts"
import type { ServerLoss } from "../LlamaClient.ts"
import { Unreachable } from "../LlamaError.ts"
import * as LlamaProbe from "../LlamaProbe.ts"
import { isListening } from "./PortCheck.ts"
import { launchArguments } from "./LaunchArguments.ts"
import { hint, maxRestarts, restart, toMessage, type ExitReport } from "./ExitReport.ts"
import { ServerLog } from "./ServerLog.ts"
import { ServerOutput } from "./ServerOutput.ts"
import * as ServerProcess from "./ServerProcess.ts"

/** From the first TERM to the second, in milliseconds, unless the process itself is exiting. */
const termGraceMs = 3000

/** The part of an exiting process's time that is kept for KILL, the database and the output, in milliseconds. */
const exitReserveMs = 1200

/** The shortest time from the first TERM to the second, in milliseconds, however little the process has. */
const minTermGraceMs = 200

/** Pauses between probes of a server that is not ready yet, in milliseconds: the first, doubling, and the longest. */
const firstProbePauseMs = 25
const maxProbePauseMs = 500

/** How often the server's output is passed on, in milliseconds. */
const outputIntervalMs = 250

const probeTimeoutMs = 1000

/**
 * llama-server as a child process: started on demand, restarted when it exits, given up after too many failures in a
 * row, and ended with the scope.
 */
export class ManagedServer extends Context.Service<
  ManagedServer,
  {
    readonly url: string
    /** Starts the server if it does not run, without waiting for it. One that was given up is tried once more. */
    readonly start: Effect.Effect<void>
    /** Waits until the server listens, loading or ready; fails with its last lines of output once it is given up. */
    readonly listening: Effect.Effect<void, Unreachable>
    /** Waits while the server listens; then the description of its exit. */
    readonly exited: Effect.Effect<string>
    /** One item each time that the server is given up. The next start removes it if it is not taken yet. */
    readonly losses: Queue.Dequeue<ServerLoss>
  }
>()("atomic-agent-sidecar/llama/managed/ManagedServer") {
  static readonly layer: Layer.Layer<ManagedServer, never, Config> = Layer.effect(
    ManagedServer,
    Effect.gen(function* () {
      const settings = yield* Config
      const output = yield* ServerOutput
      const deadline = yield* ExitDeadline
      const { managed } = settings.localModels
      const url = managedUrl(managed.port)
      const transport = yield* HttpTransport.scoped
      const requested = Latch.makeUnsafe(false)
      const hasOutput = Latch.makeUnsafe(false)
      const log = new ServerLog(redactSecrets(apiKey(settings), "<api key>"))
      /** Open while the server does not listen. */
      const down = Latch.makeUnsafe(true)
      /** Open while the server listens or is given up. */
      const settled = Latch.makeUnsafe(false)
      const losses = yield* Queue.sliding<ServerLoss>(1)
      let loss: ServerLoss | undefined
      let lastEnd = "llama-server has not been started"
      let failed = 0
      let readySince: number | undefined

      const probe = Effect.map(
        LlamaProbe.run(transport, { url, model: undefined, headers: {}, timeoutMs: probeTimeoutMs }),
        ({ server }) => server
      )

      const awaitReady = Effect.gen(function* () {
        for (let pause = firstProbePauseMs; ; pause = Math.min(pause * 2, maxProbePauseMs)) {
          yield* Effect.sleep(pause)
          const { state } = yield* probe
          if (state === "unreachable") continue
          down.closeUnsafe()
          settled.openUnsafe()
          if (state === "loading") continue
          readySince = yield* monotonicMs
          return
        }
      })

      const forwardOutput = Effect.gen(function* () {
        yield* hasOutput.await
        hasOutput.closeUnsafe()
        yield* output(log.take())
        yield* Effect.sleep(outputIntervalMs)
      })
      if (settings.log.level === "debug") yield* Effect.forkScoped(Effect.forever(forwardOutput))

      const portTaken = Effect.gen(function* (): Effect.fn.Return<ExitReport | undefined> {
        if (!(yield* isListening(managed.port))) return undefined
        const { model, state } = yield* probe
        return { _tag: "PortTaken", port: managed.port, ...(state === "ready" && model !== undefined && { model }) }
      })

      const run = Effect.gen(function* () {
        log.begin()
        const ended = yield* ServerProcess.launch({
          command: managed.command,
          args: launchArguments(managed),
          env: inherited(),
          log,
          onOutput: () => hasOutput.openUnsafe(),
          termGraceMs: Effect.map(deadline.remainingMs, (remainingMs) =>
            Math.max(minTermGraceMs, Math.min(termGraceMs, remainingMs - exitReserveMs))
          )
        })
        yield* Effect.forkScoped(awaitReady)
        return yield* ended
      }).pipe(Effect.scoped)

      const giveUp = (end: ExitReport) => {
        loss = { error: toMessage(end), hint: hint(end, settings) }
        failed = maxRestarts
        requested.closeUnsafe()
        Queue.offerUnsafe(losses, loss)
        settled.openUnsafe()
      }

      const supervise = Effect.gen(function* () {
        yield* requested.await
        readySince = undefined
        const end = (yield* portTaken) ?? (yield* run)
        const readyMs = readySince === undefined ? 0 : (yield* monotonicMs) - readySince
        lastEnd = toMessage(end)
        const retry = restart(failed, end, readyMs)
        if (retry === null) giveUp(end)
        else settled.closeUnsafe()
        // Last: fibers that wait for this go on at once, and must not be answered for the server that exited.
        down.openUnsafe()
        if (retry === null) return
        failed = retry.failed
        yield* Effect.logWarning(`${lastEnd}\nit is started again in ${retry.pauseMs} ms`)
        yield* Effect.sleep(retry.pauseMs)
      })
      yield* Effect.forkScoped(Effect.forever(supervise))

      const start = Effect.suspend(() => {
        if (requested.isOpen()) return Effect.void
        loss = undefined
        settled.closeUnsafe()
        requested.openUnsafe()
        // A loss that is not reported yet no longer holds.
        return Effect.asVoid(Queue.clear(losses))
      })

      const listening = Effect.andThen(
        settled.await,
        Effect.suspend(() => (loss === undefined ? Effect.void : Effect.fail(Unreachable.make({ detail: loss.error }))))
      )

      return ManagedServer.of({
        url,
        start,
        listening,
        exited: Effect.map(down.await, () => lastEnd),
        losses
      })
    })
  )
}
