import type { Settings } from "../../config/Settings.ts"
import { wireName } from "../../domain/Transcript.ts"
import { wellFormedJson } from "../../domain/WellFormed.ts"
import * as HistoryText from "./HistoryText.ts"
import type { ModelRequest } from "../LlamaClient.ts"
import type { ToolSpec } from "../../domain/ToolCall.ts"

/** A request body, and the bytes of text in it that the model reads. */
export interface ChatRequest {
  readonly body: string
  readonly promptBytes: number
}

/**
 * Makes the body of `POST /v1/chat/completions`. `budget` is the most bytes of text that are sent (null: any number); a
 * longer history is trimmed (runtime, Prompt). `maxAnswer` is the longest answer in tokens (0: no cap).
 */
export const make = (
  request: ModelRequest,
  settings: Settings,
  budget: number | null,
  maxAnswer: number
): ChatRequest => {
  const tools = toolsOf(request.tools)
  const fixed = Buffer.byteLength(request.system) + tools.bytes
  const history = HistoryText.make(request.history, budget === null ? Infinity : Math.max(0, budget - fixed))
  const { llama, localModels } = settings
  const system = wellFormedJson({ role: "system", content: request.system })
  const options = {
    ...(localModels.model === undefined ? {} : { model: localModels.model }),
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
  const messages = `"messages":[${system}${history.json === "" ? "" : ","}${history.json}]`
  const offered = request.tools.length === 0 ? "" : `,"tools":${tools.json}`
  const body = `{${messages}${offered},${wellFormedJson(options).slice(1)}`
  return { body, promptBytes: fixed + history.bytes }
}

const toolsOf = (tools: ReadonlyArray<ToolSpec>) => {
  const known = toolTexts.get(tools)
  if (known !== undefined) return known
  const json = wellFormedJson(
    tools.map((tool) => ({
      type: "function",
      function: { name: wireName(tool.name), description: tool.description, parameters: tool.parameters }
    }))
  )
  const text = { json, bytes: Buffer.byteLength(json) }
  toolTexts.set(tools, text)
  return text
}

/** A cache: every request of a session offers the same tools. */
const toolTexts = new WeakMap<ReadonlyArray<ToolSpec>, { readonly json: string; readonly bytes: number }>()
