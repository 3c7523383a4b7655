import type { ModelEvent, ModelFinished, Usage } from "../../llama/LlamaClient.ts"
import { metric } from "./Metric.ts"
import type { TurnEvent } from "../SessionFeed.ts"

/** Turns the stream of one model call into events for the host, and keeps the text and reasoning that have streamed. */
export class ModelStreamEvents {
  /** Set once the call has ended. */
  finished: ModelFinished | undefined
  text = ""
  reasoning = ""
  readonly #stepIndex: number
  readonly #slotId: number
  readonly #now: () => number
  readonly #startedAt: number
  #firstWordAt: number | undefined
  #isRequestSent = false

  /** `now` gives milliseconds on the monotonic clock. */
  constructor(stepIndex: number, slotId: number, now: () => number) {
    this.#stepIndex = stepIndex
    this.#slotId = slotId
    this.#now = now
    this.#startedAt = now()
  }

  /** The events for the host that stand for some of the model's. */
  push(events: ReadonlyArray<ModelEvent>): ReadonlyArray<TurnEvent> {
    const sent: Array<TurnEvent> = []
    for (const event of events) {
      switch (event._tag) {
        case "Text":
          this.#firstWord(sent)
          this.text += event.text
          sent.push({ type: "assistant_delta", payload: { text: event.text } })
          break
        case "Reasoning":
          this.#firstWord(sent)
          this.reasoning += event.text
          sent.push({ type: "reasoning_delta", payload: { stepIndex: this.#stepIndex, text: event.text } })
          break
        case "Loading":
          sent.push({ type: "llm_progress", payload: { phase: "loading" } })
          break
        case "Prefill": {
          const { cached, processed, total } = event
          this.#request(sent, total, cached)
          sent.push({ type: "llm_progress", payload: { phase: "prefill", processed, total, cached } })
          break
        }
        case "Finished":
          this.finished = event
      }
    }
    return sent
  }

  /** The last events of a call: its request, if that has not been sent, its response, its metrics. */
  end({ tokensPerSecond, usage }: ModelFinished): ReadonlyArray<TurnEvent> {
    const sent: Array<TurnEvent> = []
    this.#request(sent, usage?.promptTokens ?? 0, usage?.cachedTokens ?? 0)
    const durationMs = this.#now() - this.#startedAt
    sent.push({ type: "llm_response", payload: { completionTokens: usage?.completionTokens ?? 0, durationMs } })
    const firstTokenMs = this.#firstWordAt === undefined ? undefined : this.#firstWordAt - this.#startedAt
    return [
      ...sent,
      ...metric("llm.time_to_first_token_ms", firstTokenMs),
      ...metric("llm.tokens_per_second", tokensPerSecond),
      ...metric("llm.cache_hit_ratio", cacheHitRatio(usage))
    ]
  }

  #firstWord(sent: Array<TurnEvent>): void {
    if (this.#firstWordAt !== undefined) return
    this.#firstWordAt = this.#now()
    sent.push({ type: "llm_progress", payload: { phase: "generating" } })
  }

  #request(sent: Array<TurnEvent>, promptTokens: number, cachedTokens: number): void {
    if (this.#isRequestSent) return
    this.#isRequestSent = true
    sent.push({
      type: "llm_request",
      payload: { slotId: this.#slotId, promptTokens, cacheReused: cachedTokens > 0 }
    })
  }
}

const cacheHitRatio = (usage: Usage | undefined): number | undefined =>
  usage === undefined || usage.promptTokens === 0 ? undefined : usage.cachedTokens / usage.promptTokens
