import * as Effect from "effect/Effect"
import { Config } from "../config/Config.ts"
import { scriptUrl } from "../config/ScriptUrl.ts"
import { Extension } from "../protocol/Extension.ts"
import type { HelloResult, PingResult, RequestPayload } from "../protocol/Request.ts"
import { maxSessions, maxSteers } from "../session/SessionLimits.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"
import { sidecarVersion } from "../Version.ts"
import { type EarlyHandlers, now } from "./Handler.ts"

/** The handlers of `ping` and `hello`: the sidecar's identity and the extensions that it grants (contract 5, 9). */
export const make = Effect.gen(function* () {
  const config = yield* Config
  const sink = yield* StdoutSink
  const { mode, script, url } = config.localModels

  const pong: PingResult = {
    ok: true,
    llamaUrl: mode === "scripted" ? scriptUrl(script) : url,
    stateDir: config.stateDir,
    version: "0.1.0",
    sidecarVersion,
    protocol: { version: 1, extensions: [...Extension.literals] }
  }

  const hello = ({ extensions }: RequestPayload<"hello">): HelloResult => {
    const granted = Extension.literals.filter((extension) => extensions.includes(extension))
    sink.grant(granted)
    return {
      protocol: pong.protocol as HelloResult["protocol"],
      extensions: granted,
      limits: {
        maxLineBytes: config.sidecar.maxLineBytes,
        outputBufferBytes: config.sidecar.outputBufferBytes,
        maxParallelToolCalls: config.agent.maxParallelToolCalls,
        maxSteers,
        maxSessions
      },
      sidecarVersion
    }
  }

  const handlers: EarlyHandlers = {
    ping: now(() => Effect.succeed(pong)),
    hello: now((payload) => Effect.sync(() => hello(payload)))
  }
  return handlers
})
