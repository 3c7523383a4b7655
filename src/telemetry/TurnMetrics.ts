import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { TurnEvent } from "../session/SessionFeed.ts"

/** Records the metrics of turns, under the names of `metric` events, in a registry of its own. */
export class TurnMetrics {
  readonly registry: Metric.MetricRegistry = new Map()
  readonly #context = Context.make(Metric.MetricRegistry, this.registry)

  onEvent(event: TurnEvent): void {
    if (event.type === "turn_finished") {
      const attributes = { reason: event.payload.reason }
      const turns = Metric.counter("turns", { description: "Turns that have ended", incremental: true, attributes })
      return turns.updateUnsafe(1, this.#context)
    }
    if (event.type !== "metric") return
    const { name, tags, value } = event.payload
    const known = histograms.get(name)
    if (known === undefined) return
    const { boundaries, description, unit } = known
    const attributes = { ...tags, unit }
    Metric.histogram(name, { description, attributes, boundaries }).updateUnsafe(value, this.#context)
  }
}

const milliseconds = {
  unit: "milliseconds",
  boundaries: [1, 5, 10, 50, 100, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000]
}

const histograms = new Map([
  ["turn.queue_wait_ms", { ...milliseconds, description: "From the acceptance of a message to its turn" }],
  ["llm.time_to_first_token_ms", { ...milliseconds, description: "From a model call to the first word" }],
  [
    "llm.tokens_per_second",
    { unit: "{token}/s", boundaries: [1, 2, 5, 10, 20, 40, 80, 160, 320, 640], description: "Tokens generated" }
  ],
  [
    "llm.cache_hit_ratio",
    {
      unit: "1",
      boundaries: [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
      description: "Share of a prompt not read again"
    }
  ],
  ["tool.time_ms", { ...milliseconds, description: "What a tool took, without the wait for a person" }]
])
