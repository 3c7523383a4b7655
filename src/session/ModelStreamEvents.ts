import type { ModelEvent, Usage } from "../llama/LlamaClient.ts"
import { metric } from "./Metric.ts"
import type { TurnEvent } from "./SessionFeed.ts"
import type { OpenStep } from "./TurnState.ts"

type Finished = ModelEvent & { readonly _tag: "Finished" }

/** What one model call has said so far, and what the host is told of it. `now` gives milliseconds, monotonic. */
export class ModelStreamEvents {
  finished: Finished | undefined
  readonly #step: OpenStep
  readonly #slotId: number
  readonly #now: () => number
  readonly #startedAt: number
  #firstWordAt: number | undefined
  #requestTold = false

  constructor(step: OpenStep, slotId: number, now: () => number) {
    this.#step = step
    this.#slotId = slotId
    this.#now = now
    this.#startedAt = now()
  }

  /** What to tell of events that came at once. */
  hear(events: ReadonlyArray<ModelEvent>): ReadonlyArray<TurnEvent> {
    const told: Array<TurnEvent> = []
    for (const event of events) {
      switch (event._tag) {
        case "Text":
          this.#firstWord(told)
          this.#step.text += event.text
          told.push({ type: "assistant_delta", payload: { text: event.text } })
          break
        case "Reasoning":
          this.#firstWord(told)
          this.#step.reasoning += event.text
          told.push({ type: "reasoning_delta", payload: { stepIndex: this.#step.index, text: event.text } })
          break
        case "Loading":
          told.push({ type: "llm_progress", payload: { phase: "loading" } })
          break
        case "Prefill": {
          const { cached, processed, total } = event
          this.#request(told, total, cached)
          told.push({ type: "llm_progress", payload: { phase: "prefill", processed, total, cached } })
          break
        }
        case "Finished":
          this.finished = event
      }
    }
    return told
  }

  /** What to tell when the call has ended: its request, if that has not been told, its response, its figures. */
  end({ tokensPerSecond, usage }: Finished): ReadonlyArray<TurnEvent> {
    const told: Array<TurnEvent> = []
    this.#request(told, usage?.promptTokens ?? 0, usage?.cachedTokens ?? 0)
    const durationMs = this.#now() - this.#startedAt
    told.push({ type: "llm_response", payload: { completionTokens: usage?.completionTokens ?? 0, durationMs } })
    const firstTokenMs = this.#firstWordAt === undefined ? undefined : this.#firstWordAt - this.#startedAt
    return [
      ...told,
      ...metric("llm.time_to_first_token_ms", firstTokenMs),
      ...metric("llm.tokens_per_second", tokensPerSecond),
      ...metric("llm.cache_hit_ratio", cacheHitRatio(usage))
    ]
  }

  #firstWord(told: Array<TurnEvent>): void {
    if (this.#firstWordAt !== undefined) return
    this.#firstWordAt = this.#now()
    told.push({ type: "llm_progress", payload: { phase: "generating" } })
  }

  #request(told: Array<TurnEvent>, promptTokens: number, cachedTokens: number): void {
    if (this.#requestTold) return
    this.#requestTold = true
    told.push({
      type: "llm_request",
      payload: { slotId: this.#slotId, promptTokens, cacheReused: cachedTokens > 0 }
    })
  }
}

const cacheHitRatio = (usage: Usage | undefined): number | undefined =>
  usage === undefined || usage.promptTokens === 0 ? undefined : usage.cachedTokens / usage.promptTokens
