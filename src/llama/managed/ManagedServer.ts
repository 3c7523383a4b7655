import * as Clock from "effect/Clock"
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
import { redactSecrets } from "../../domain/RedactSecrets.ts"
import * as HttpTransport from "../../http/HttpTransport.ts"
import type { ServerLoss } from "../LlamaClient.ts"
import { Unreachable } from "../LlamaError.ts"
import * as LlamaProbe from "../LlamaProbe.ts"
import { isListening } from "./PortCheck.ts"
import { launchArguments } from "./LaunchArguments.ts"
import { exhausted, hint, inWords, restart, type ExitReport } from "./ExitReport.ts"
import { ServerLog } from "./ServerLog.ts"
import { ServerOutput } from "./ServerOutput.ts"
import * as ServerProcess from "./ServerProcess.ts"

/** From the first TERM to the second, in milliseconds, where nothing hurries. */
const patienceMs = 3000

/** What an exiting process needs after its server has been ended, in milliseconds: for KILL, the database, the output. */
const reserveMs = 1200

/** How long a server is given to hear TERM though the process is all but gone, in milliseconds. */
const leastPatienceMs = 200

/** How often a server that is not ready yet is looked at, in milliseconds: soon at first. */
const firstLookMs = 25
const lastLookMs = 500

/** How often what the server wrote is told, in milliseconds. */
const tellEveryMs = 250

/** One look at what answers at the port, in milliseconds. */
const lookMs = 1000

/**
 * llama-server as our child: started when somebody wants it, started again when it ends, given up when it has failed too
 * often in a row, ended with the scope.
 */
export class ManagedServer extends Context.Service<
  ManagedServer,
  {
    readonly url: string
    /** Has it started, if it does not run; one that was given up gets one more chance. Waits for nothing. */
    readonly start: Effect.Effect<void>
    /** Waits until it listens, loading or ready; fails with its last words once it is given up. */
    readonly listening: Effect.Effect<void, Unreachable>
    /** Waits while it listens; then it says how it ended. */
    readonly gone: Effect.Effect<string>
    /** Each time that it is given up; what is no longer so is taken out. */
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
      const transport = yield* Effect.acquireRelease(
        Effect.sync(() => HttpTransport.make()),
        (transport) => Effect.sync(() => transport.close())
      )
      const wanted = Latch.makeUnsafe(false)
      const written = Latch.makeUnsafe(false)
      const log = new ServerLog(redactSecrets(apiKey(settings), "<api key>"))
      /** It does not listen. */
      const down = Latch.makeUnsafe(true)
      /** It listens, or is given up. */
      const decided = Latch.makeUnsafe(false)
      const losses = yield* Queue.sliding<ServerLoss>(1)
      let loss: ServerLoss | undefined
      let lastEnd = "llama-server has not been started"
      let failed = 0
      let readySince: number | undefined

      const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

      const look = LlamaProbe.run(transport, { url, model: undefined, headers: {}, timeoutMs: lookMs })

      const watchItLoad = Effect.gen(function* () {
        for (let pause = firstLookMs; ; pause = Math.min(pause * 2, lastLookMs)) {
          yield* Effect.sleep(pause)
          const { state } = yield* look
          if (state === "unreachable") continue
          down.closeUnsafe()
          decided.openUnsafe()
          if (state === "loading") continue
          readySince = yield* now
          return
        }
      })

      const tellWhatItWrites = Effect.gen(function* () {
        yield* written.await
        written.closeUnsafe()
        yield* output(log.take())
        yield* Effect.sleep(tellEveryMs)
      })
      if (settings.log.level === "debug") yield* Effect.forkScoped(Effect.forever(tellWhatItWrites))

      const portTaken = Effect.gen(function* (): Effect.fn.Return<ExitReport | undefined> {
        if (!(yield* isListening(managed.port))) return undefined
        const { model, state } = yield* look
        return { _tag: "PortTaken", port: managed.port, ...(state === "ready" && model !== undefined && { model }) }
      })

      const run = Effect.gen(function* () {
        log.begin()
        const ended = yield* ServerProcess.launch({
          command: managed.command,
          args: launchArguments(managed),
          env: inherited(),
          log,
          heard: () => written.openUnsafe(),
          patienceMs: Effect.map(deadline.remainingMs, (left) =>
            Math.max(leastPatienceMs, Math.min(patienceMs, left - reserveMs))
          )
        })
        yield* Effect.forkScoped(watchItLoad)
        return yield* ended
      }).pipe(Effect.scoped)

      const giveUp = (end: ExitReport) => {
        loss = { error: inWords(end), hint: hint(end, settings) }
        failed = exhausted
        wanted.closeUnsafe()
        Queue.offerUnsafe(losses, loss)
        decided.openUnsafe()
      }

      const supervise = Effect.gen(function* () {
        yield* wanted.await
        readySince = undefined
        const end = (yield* portTaken) ?? (yield* run)
        const readyMs = readySince === undefined ? 0 : (yield* now) - readySince
        lastEnd = inWords(end)
        const again = restart(failed, end, readyMs)
        if (again === null) giveUp(end)
        else decided.closeUnsafe()
        // Last, since those who wait for it go on at once: what they ask next must not be answered for the dead server.
        down.openUnsafe()
        if (again === null) return
        failed = again.failed
        yield* Effect.logWarning(`${lastEnd}\nit is started again in ${again.pauseMs} ms`)
        yield* Effect.sleep(again.pauseMs)
      })
      yield* Effect.forkScoped(Effect.forever(supervise))

      const start = Effect.suspend(() => {
        if (wanted.isOpen()) return Effect.void
        loss = undefined
        decided.closeUnsafe()
        wanted.openUnsafe()
        // What nobody has been told by now is no longer so.
        return Effect.asVoid(Queue.clear(losses))
      })

      const listening = Effect.andThen(
        decided.await,
        Effect.suspend(() => (loss === undefined ? Effect.void : Effect.fail(Unreachable.make({ detail: loss.error }))))
      )

      return ManagedServer.of({
        url,
        start,
        listening,
        gone: Effect.map(down.await, () => lastEnd),
        losses
      })
    })
  )
}
