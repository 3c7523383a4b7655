import * as Clock from "effect/Clock"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Redacted from "effect/Redacted"
import type { TelemetrySettings } from "../config/Settings.ts"
import { TurnObserver } from "../session/turn/TurnObserver.ts"
import { sidecarVersion } from "../Version.ts"
import { TurnMetrics } from "./TurnMetrics.ts"
import * as CollectorClient from "./CollectorClient.ts"
import { TurnSpans } from "./TurnSpans.ts"

/** How long the end of the process waits for spans and metrics that are not sent yet, in milliseconds. */
const flushMs = 500

/** Sends spans and metrics of turns to a collector: OTLP over HTTP, as JSON. */
export const layer = ({
  endpoint,
  headers,
  resourceAttributes,
  serviceName
}: TelemetrySettings): Layer.Layer<never> => {
  const turnMetrics = new TurnMetrics()
  const common = {
    resource: { serviceName, serviceVersion: sidecarVersion, attributes: resourceAttributes },
    headers: Redacted.value(headers),
    shutdownTimeout: flushMs
  }
  const metrics = Layer.effectDiscard(OtlpMetrics.make({ ...common, url: `${endpoint}/v1/metrics` })).pipe(
    Layer.provide(Layer.succeed(Metric.MetricRegistry, turnMetrics.registry))
  )
  const observer = Layer.effect(
    TurnObserver,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const tracer = yield* OtlpTracer.make({ ...common, url: `${endpoint}/v1/traces` })
      const spans = new TurnSpans(tracer, () => clock.currentTimeNanosUnsafe())
      return {
        onEvents: ({ sessionId, turnId }, events) => {
          for (const event of events) {
            spans.onEvent(sessionId, turnId, event)
            turnMetrics.onEvent(event)
          }
        },
        onModelCall: (turnId, model) => spans.onModelCall(turnId, model),
        onModelAnswer: (turnId, finished) => spans.onModelAnswer(turnId, finished),
        onToolCall: (turnId, callId, tool) => spans.onToolCall(turnId, callId, tool)
      }
    })
  )
  return Layer.merge(observer, metrics).pipe(
    Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, CollectorClient.layer]),
    // Otherwise the exporter reads the environment itself and dies of values that it cannot parse.
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({})))
  )
}
