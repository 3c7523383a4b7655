import type { Settings } from "../../config/Settings.ts"
import { wireName } from "../../domain/Transcript.ts"
import { wellFormedJson } from "../../protocol/WellFormed.ts"
import { between } from "./ChatMessages.ts"
import * as HistoryText from "./HistoryText.ts"
import type { ModelOptions, ModelRequest } from "../LlamaClient.ts"
import type { MessageForm } from "./MessageForm.ts"
import type { RefusedFields } from "./RefusedFields.ts"
import type { ToolSpec } from "../../domain/ToolCall.ts"

/** A request body, and the bytes of text in it that the model reads. */
export interface ChatRequest {
  readonly body: string
  readonly promptBytes: number
}

/** What the server takes. */
export interface RequestShape {
  /** How the calls of the history are written. */
  readonly form: MessageForm
  /** The model to name where none is configured; undefined: none is named. */
  readonly model: string | undefined
  /** The fields to leave out. */
  readonly without: RefusedFields
}

/**
 * Makes the body of `POST /v1/chat/completions`. `budget` is the most bytes of text that are sent (null: any number); a
 * longer history is trimmed (runtime, Prompt). `maxAnswer` is the longest answer in tokens (0: no cap). In the form `text`
 * no tool is offered, and the user says what the system message would.
 */
export const make = (
  request: ModelRequest,
  settings: Settings,
  budget: number | null,
  maxAnswer: number,
  { form, model, without }: RequestShape
): ChatRequest => {
  const tools = form === "text" ? noTools : toolsOf(request.tools)
  const fixed = Buffer.byteLength(request.system) + tools.bytes
  const history = HistoryText.make(request.history, budget === null ? Infinity : Math.max(0, budget - fixed), form)
  const { llama } = settings
  const { model: asked, temperature, thinking } = optionsOf(request, settings)
  const name = asked ?? model
  const options = {
    ...(name === undefined ? {} : { model: name }),
    stream: true,
    stream_options: { include_usage: true },
    return_progress: true,
    cache_prompt: true,
    ...(llama.defaultSlot < 0 ? {} : { id_slot: llama.defaultSlot }),
    ...(maxAnswer === 0 ? {} : { max_tokens: maxAnswer }),
    ...(thinking === "auto" ? {} : { chat_template_kwargs: { enable_thinking: thinking === "on" } }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(llama.topP === undefined ? {} : { top_p: llama.topP }),
    ...(llama.topK === undefined ? {} : { top_k: llama.topK }),
    ...(llama.seed === undefined ? {} : { seed: llama.seed })
  }
  const messages = `"messages":[${openingOf(request.system, form)}${history.json === "" ? "" : ","}${history.json}]`
  const offered = tools === noTools ? "" : `,"tools":${tools.json}`
  const fields = Object.fromEntries(Object.entries(options).filter(([field]) => !without.has(field)))
  const body = `{${messages}${offered},${wellFormedJson(fields).slice(1)}`
  return { body, promptBytes: fixed + history.bytes }
}

/** What a request asks of the model: the session's options or, without any, the configuration. */
export const optionsOf = ({ options }: ModelRequest, { llama, localModels }: Settings): ModelOptions => {
  if (options !== undefined) return options
  const { completionMaxTokens, model, thinking } = localModels
  const { temperature } = llama
  return {
    thinking,
    completionMaxTokens,
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature })
  }
}

/** The messages before the history. */
const openingOf = (system: string, form: MessageForm): string => {
  if (form !== "text") return wellFormedJson({ role: "system", content: system })
  const user = wellFormedJson({ role: "user", content: `${system}\n\n${withoutTools}` })
  return `${user},${wellFormedJson({ role: "assistant", content: between.assistant })}`
}

const withoutTools =
  "No tool can be called in this conversation: answer in plain words. What stands in brackets below was called earlier, with its result."

const noTools = { json: "[]", bytes: 0 }

const toolsOf = (tools: ReadonlyArray<ToolSpec>) => {
  if (tools.length === 0) return noTools
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
