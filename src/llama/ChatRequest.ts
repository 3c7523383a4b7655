import type { Settings } from "../Config.ts"
import type { ChatMessage, Entry } from "../domain/Transcript.ts"
import { toMessages, wireName } from "../domain/Transcript.ts"
import type { ModelRequest, ToolSpec } from "./LlamaClient.ts"
import * as Trimming from "./Trimming.ts"

/** A request body, and the bytes of text in it that the model will read. */
export interface ChatRequest {
  readonly body: string
  readonly promptBytes: number
}

/**
 * The body of `POST /v1/chat/completions`. `budget` bounds the bytes of text that are sent (null: all); what does not
 * fit is trimmed (runtime, Prompt). `maxAnswer` is the cap of the answer in tokens, 0: none.
 */
export const make = (
  request: ModelRequest,
  settings: Settings,
  budget: number | null,
  maxAnswer: number
): ChatRequest => {
  const tools = request.tools.map(toTool)
  const fixed = Buffer.byteLength(request.system) + Buffer.byteLength(JSON.stringify(tools))
  const { entries, bytes } = fit(request.history, budget === null ? null : Math.max(0, budget - fixed))
  const messages: ReadonlyArray<ChatMessage> = [{ role: "system", content: request.system }, ...toMessages(entries)]
  const { llama, localModels } = settings
  const body = {
    ...(localModels.model === undefined ? {} : { model: localModels.model }),
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    stream: true,
    stream_options: { include_usage: true },
    return_progress: true,
    cache_prompt: true,
    ...(llama.defaultSlot < 0 ? {} : { id_slot: llama.defaultSlot }),
    ...(maxAnswer === 0 ? {} : { max_tokens: maxAnswer }),
    ...(localModels.thinking === "auto"
      ? {}
      : { chat_template_kwargs: { enable_thinking: localModels.thinking === "on" } }),
    ...(llama.temperature === undefined ? {} : { temperature: llama.temperature }),
    ...(llama.topP === undefined ? {} : { top_p: llama.topP }),
    ...(llama.topK === undefined ? {} : { top_k: llama.topK }),
    ...(llama.seed === undefined ? {} : { seed: llama.seed })
  }
  return { body: JSON.stringify(body), promptBytes: fixed + bytes }
}

const fit = (history: ReadonlyArray<Entry>, budget: number | null) => {
  const limit = budget ?? Infinity
  const trim = Trimming.plan(history, limit)
  return { entries: Trimming.apply(history, trim, limit), bytes: Math.min(trim.bytes, limit) }
}

const toTool = (tool: ToolSpec) => ({
  type: "function",
  function: { name: wireName(tool.name), description: tool.description, parameters: tool.parameters }
})
