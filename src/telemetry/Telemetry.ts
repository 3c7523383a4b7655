import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../config/Config.ts"

/** Telemetry if `OTEL_EXPORTER_OTLP_ENDPOINT` is set; otherwise none of its modules is loaded. */
export const layer: Layer.Layer<never, never, Config> = Layer.unwrap(
  Effect.gen(function* () {
    const { telemetry } = yield* Config
    if (telemetry === undefined) return Layer.empty
    const { layer } = yield* Effect.promise(() => import("./Otlp.ts"))
    return layer(telemetry)
  })
)
