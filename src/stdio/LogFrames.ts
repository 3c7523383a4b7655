import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { Config } from "../config/Config.ts"
import { hideSecrets } from "../config/Secrets.ts"
import { traceOf } from "../domain/Failure.ts"
import type { LogLevel as WireLevel } from "../protocol/LogLevel.ts"
import { StdoutSink } from "./StdoutSink.ts"

/** A logger that sends `log` events, from `log.level` on, in place of Effect's default one, which writes to stdout. */
export const layer: Layer.Layer<never, never, StdoutSink | Config> = Layer.unwrap(
  Effect.gen(function* () {
    const sink = yield* StdoutSink
    const settings = yield* Config
    const { level } = settings.log
    const hide = hideSecrets(settings)
    const logger = Logger.make(({ cause, fiber, logLevel, message }) => {
      const words = Array.isArray(message) ? message : [message]
      const annotations = fiber.getRef(References.CurrentLogAnnotations)
      const context = {
        ...annotations,
        ...(Cause.hasDies(cause) || Cause.hasFails(cause) ? { cause: traceOf(cause) } : {})
      }
      sink.post({
        type: "log",
        payload: {
          level: wireLevel(logLevel),
          message: hide(words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" ")),
          ...(Object.keys(context).length === 0 ? {} : { context: hideIn(context, hide) })
        }
      })
    })
    return Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, effectLevels[level]))
  })
)

/** The same JSON with `hide` applied to each of its texts. */
const hideIn = <A>(value: A, hide: (text: string) => string): A =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) => (typeof each === "string" ? hide(each) : each))

const effectLevels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

const wireLevel = (level: LogLevel.LogLevel): WireLevel => {
  switch (level) {
    case "Fatal":
    case "Error":
      return "error"
    case "Warn":
      return "warn"
    case "Debug":
    case "Trace":
      return "debug"
    default:
      return "info"
  }
}
