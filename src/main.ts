import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { markSessionsLoaded } from "./boot/CodeCache.ts"
import { Config } from "./config/Config.ts"
import { eventLine } from "./protocol/Frame.ts"
import { run } from "./Serving.ts"
import { removePipePermissions } from "./stdio/PipePermissions.ts"
import { guardStdout } from "./stdio/StdoutGuard.ts"
import { StdoutSink } from "./stdio/StdoutSink.ts"

/** `EX_CONFIG`: the configuration is wrong, or this version cannot work with what it found. */
const badConfiguration = 78

/** One frame that names what is wrong, over a pipe with the default settings (contract 10). */
const complain = ({ message }: { readonly message: string }) =>
  Effect.gen(function* () {
    process.exitCode = badConfiguration
    const sink = yield* StdoutSink
    yield* sink.answer(eventLine({ type: "error", payload: { message, code: "config_invalid" } }))
    process.stdin.destroy()
  }).pipe(Effect.provide(Layer.provide(StdoutSink.layer, Config.layerOf({}))))

/** Loaded when the first session needs them. */
const sessionServices = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("./Sidecar.ts")),
    (sidecar) => {
      markSessionsLoaded()
      return sidecar.sessionServices
    }
  )
)

// Before anything can run that could open them, or write to them.
removePipePermissions()
guardStdout()

run(sessionServices).pipe(
  Effect.provide(Config.layer),
  Effect.catch(complain),
  Effect.provide(NodeStdio.layer),
  Effect.runFork
)
