import type { LlamaError } from "../LlamaError.ts"
import * as RefusedFields from "./RefusedFields.ts"

/**
 * How calls are written in a history, the most careful form last: all calls of a step in one message; one call in a
 * message, its result behind it; or as text in a plain conversation, without a tool and without a system message.
 */
export type MessageForm = "batched" | "single" | "text"

/** What the client knows of the requests that the server takes for its model. */
export interface FormMemory {
  /** The model as the server names it in its answers; undefined: it has named none. */
  readonly served: string | undefined
  /** The model as the last probe named it. */
  readonly probed: string | undefined
  /** The server says that its template takes one call in a message. */
  readonly onlySingle: boolean
  /** The form that the server took after it had refused an earlier one. */
  readonly taken: MessageForm
  /** The fields that the server refused. */
  readonly without: RefusedFields.RefusedFields
}

export const unknown: FormMemory = {
  served: undefined,
  probed: undefined,
  onlySingle: false,
  taken: "batched",
  without: RefusedFields.none
}

/** The form of the next request. */
export const current = ({ onlySingle, taken }: FormMemory): MessageForm =>
  taken === "batched" && onlySingle ? "single" : taken

/** Learns from a probe. Another model may take what the one before it refused. */
export const learnProbe = (memory: FormMemory, model: string | undefined, onlySingle: boolean): FormMemory => {
  const isOther = model !== undefined && memory.probed !== undefined && model !== memory.probed
  const known = { ...memory, probed: model ?? memory.probed, onlySingle }
  return isOther ? { ...known, taken: "batched", without: RefusedFields.none } : known
}

/**
 * Learns from an answer of `model` to a request in `form`, without some fields: both are kept for this model if they were
 * reached by refusals of this request. What was kept for another model is given up, and the next probe tells of no other.
 */
export const learnAnswer = (
  memory: FormMemory,
  model: string | undefined,
  form: MessageForm,
  wasRefused: boolean,
  without: RefusedFields.RefusedFields = memory.without
): FormMemory => {
  const isOther = model !== undefined && memory.served !== undefined && model !== memory.served
  return {
    ...memory,
    served: model ?? memory.served,
    probed: isOther ? undefined : memory.probed,
    taken: wasRefused ? form : isOther ? "batched" : memory.taken,
    without: isOther && without === memory.without ? RefusedFields.none : without
  }
}

/**
 * The form to try after a refusal; undefined if it does not name the history, or none is left. `isSame` says whether a
 * form makes the same request as the refused one.
 */
export const nextAfter = (
  reason: LlamaError["reason"],
  form: MessageForm,
  isSame: (form: MessageForm) => boolean
): MessageForm | undefined => {
  if (form === "text" || reason._tag !== "Rejected" || !statuses.has(reason.status)) return undefined
  if (toolRefusals.some((pattern) => pattern.test(reason.detail))) return "text"
  if (!historyRefusals.some((pattern) => pattern.test(reason.detail))) return undefined
  return form === "batched" && !isSame("single") ? "single" : "text"
}

/** 200: an error in the stream, before the first word. */
const statuses = new Set([200, 400, 422, 500])

/** No request with tools is taken: Ollama, vLLM without a parser for tools, llama-server without `--jinja`. */
const toolRefusals = [
  /(does not|doesn't|do not|don't|cannot|can't) (support|accept|use) (tools?|functions?)\b/i,
  /tool choice requires|tools?( param(eter)?)? requires? --jinja|--enable-auto-tool-choice/i
]

/** A template's own exception, or a check of roles and calls in its place. */
const historyRefusals = [
  /jinja|raise_exception|chat[ _-]?template|template (error|exception)|parser for this template/i,
  /roles? must|must alternate|(system|tool|user|assistant) (role|messages?) (is |are )?(not|un)|only .* roles?\b/i,
  /unexpected role|role ["'].*["'] after|after role|expected (last )?role/i,
  /tool[ _-]?calls?\b|tool_call_id|single tool|number of function calls/i,
  /\bmessages\b|message\[\d|messages\[/i
]
