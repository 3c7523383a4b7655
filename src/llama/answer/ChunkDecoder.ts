import type { CallDraft } from "./ToolCallAssembler.ts"
import * as ToolCallAssembler from "./ToolCallAssembler.ts"
import type { CallFragment, ChatChunk, Counts } from "./ChatChunk.ts"
import type { ModelEvent, Usage } from "../LlamaClient.ts"
import type { Overflow, Rejected } from "../LlamaError.ts"
import { toReason } from "../ServerError.ts"
import * as ThinkSplitter from "./ThinkSplitter.ts"
import { wireName } from "../../domain/Transcript.ts"
import type { ToolSpec } from "../../domain/ToolCall.ts"

/** How far one answer has been decoded. */
export interface DecoderState {
  /** The model as the server names it. */
  readonly model: string | undefined
  /** Dotted tool names by their names on the wire. */
  readonly tools: ReadonlyMap<string, string>
  readonly think: ThinkSplitter.ThinkState
  /** Measures of the streamed content and reasoning, to recognise a last chunk that repeats everything. */
  readonly content: Streamed
  readonly reasoning: Streamed
  readonly calls: ReadonlyArray<CallDraft>
  /** Characters of the names and arguments of all calls. */
  readonly callsLength: number
  readonly finish: "stop" | "tool_calls" | "length" | undefined
  readonly usage: Counts | undefined
  readonly timings: Counts | undefined
}

/** Length and FNV-1a hash of text that has been streamed and is not kept. */
interface Streamed {
  readonly pieces: number
  readonly length: number
  readonly hash: number
  /** The newest piece, without half characters: one that the next piece may complete waits in `half`. */
  readonly newest: string
  readonly half: string
}

/** The result of one chunk; after a `failure` the answer is over. */
export interface Decoded {
  readonly state: DecoderState
  readonly events: ReadonlyArray<ModelEvent>
  readonly failure?: Overflow | Rejected
}

const nothing: Streamed = { pieces: 0, length: 0, hash: 0x811c9dc5, newest: "", half: "" }

export const start = (tools: ReadonlyArray<ToolSpec>): DecoderState => ({
  model: undefined,
  tools: new Map(tools.map((tool) => [wireName(tool.name), tool.name])),
  think: ThinkSplitter.start,
  content: nothing,
  reasoning: nothing,
  calls: [],
  callsLength: 0,
  finish: undefined,
  usage: undefined,
  timings: undefined
})

/** Decodes one chunk. `Finished` comes from {@link finish}, because usage may follow the finish reason. */
export const decode = (state: DecoderState, chunk: ChatChunk): Decoded => {
  if (chunk.complaint !== undefined) return { state, events: [], failure: toReason(chunk.complaint, 200) }
  if (chunk.finish === "error" || chunk.finish === "abort") {
    const message = `the server ended its answer with the reason "${chunk.finish}"`
    return { state, events: [], failure: toReason({ message }, 200) }
  }
  const events: Array<ModelEvent> = []
  if (chunk.progress !== undefined) events.push({ _tag: "Prefill", ...chunk.progress })
  let { think, content, reasoning } = state
  const isSaid = chunk.whole && think.had.includes("reasoning")
  if (chunk.reasoning !== undefined && !isSaid && !isRepeated(reasoning, chunk.reasoning, chunk)) {
    reasoning = append(reasoning, chunk.reasoning)
    if (reasoning.newest !== "") events.push({ _tag: "Reasoning", text: reasoning.newest })
  }
  if (chunk.content !== undefined && !isRepeated(content, chunk.content, chunk)) {
    content = append(content, chunk.content)
    const step = ThinkSplitter.push(think, content.newest)
    think = step.state
    // Some servers send the reasoning twice: in its own field and, in `<think>` tags, in the content.
    if (step.reasoning !== "" && reasoning.pieces === 0) events.push({ _tag: "Reasoning", text: step.reasoning })
    if (step.text !== "") events.push({ _tag: "Text", text: step.text })
  }
  const { calls, callsLength } = chunk.calls.length === 0 ? state : withCalls(state, chunk.calls)
  const next: DecoderState = {
    model: chunk.model ?? state.model,
    tools: state.tools,
    think,
    content,
    reasoning,
    calls,
    callsLength,
    finish: chunk.finish === undefined ? state.finish : reasonOf(chunk.finish),
    usage: chunk.usage ?? state.usage,
    timings: chunk.timings ?? state.timings
  }
  const excess = limitExceeded(next)
  return excess === undefined
    ? { state: next, events }
    : { state: next, events, failure: toReason({ message: excess }, 200) }
}

/** The last events of an answer: text that was held back, and `Finished`; null if no finish reason has arrived. */
export const finish = (state: DecoderState): ReadonlyArray<ModelEvent> | null => {
  if (state.finish === undefined) return null
  const last = ThinkSplitter.push(state.think, state.content.half.toWellFormed())
  const rest = ThinkSplitter.finish(last.state)
  const inContent = state.reasoning.pieces === 0 ? last.reasoning + rest.reasoning : ""
  const reasoning = state.reasoning.half.toWellFormed() + inContent
  const text = last.text + rest.text
  const usage = usageOf(state)
  const perSecond = state.timings?.perSecond
  const cut = state.finish === "length"
  return [
    ...(reasoning === "" ? [] : [{ _tag: "Reasoning", text: reasoning } as const]),
    ...(text === "" ? [] : [{ _tag: "Text", text } as const]),
    {
      _tag: "Finished",
      reason: cut ? "length" : state.calls.length > 0 ? "tool_calls" : "stop",
      calls: state.calls.map((call, index) => ({
        name: state.tools.get(call.name) ?? call.name,
        // Calls are sent one after the other, so only the last one can be cut.
        args: ToolCallAssembler.toArguments(call, cut && index === state.calls.length - 1)
      })),
      ...(usage === undefined ? {} : { usage }),
      ...(perSecond === undefined ? {} : { tokensPerSecond: perSecond })
    }
  ]
}

/** True once the model has produced anything: text, reasoning, a call or the finish reason. */
export const hasBegun = (state: DecoderState): boolean =>
  state.content.pieces > 0 || state.reasoning.pieces > 0 || state.calls.length > 0 || state.finish !== undefined

const withCalls = (
  state: DecoderState,
  pieces: ReadonlyArray<CallFragment>
): Pick<DecoderState, "calls" | "callsLength"> => {
  let { calls, callsLength } = state
  for (const piece of pieces) {
    calls = ToolCallAssembler.join(calls, piece, isTool(state))
    callsLength += lengthOf(piece)
    if (calls.length > maxCalls) break
  }
  return { calls, callsLength }
}

const lengthOf = ({ args, name }: CallFragment): number =>
  (name?.length ?? 0) + (typeof args === "string" ? args : (JSON.stringify(args) ?? "")).length

/** The message for an answer beyond the limits, which bound the memory that an endless answer takes. */
const limitExceeded = ({ calls, callsLength, content, reasoning }: DecoderState): string | undefined => {
  if (calls.length > maxCalls) return `the answer has more than ${maxCalls} tool calls`
  return content.length + reasoning.length + callsLength > maxLength
    ? `the answer has more than ${maxLength} characters`
    : undefined
}

/** In characters: some four million tokens. */
const maxLength = 16 * 1024 * 1024

const maxCalls = 1000

const isTool = (state: DecoderState) => (name: string) => state.tools.has(name)

const append = ({ pieces, length, hash, half }: Streamed, piece: string): Streamed => {
  let next = hash
  let bits = 0
  for (let at = 0; at < piece.length; at += 1) {
    const unit = piece.charCodeAt(at)
    bits |= unit
    next = Math.imul(next ^ unit, 0x01000193)
  }
  const streamed = { pieces: pieces + 1, length: length + piece.length, hash: next, newest: piece, half: "" }
  // Most pieces have no surrogates at all.
  if (half === "" && bits < 0xd800) return streamed
  const joined = half + piece
  const rest = /[\uD800-\uDBFF]$/.exec(joined)?.[0] ?? ""
  return { ...streamed, newest: joined.slice(0, joined.length - rest.length).toWellFormed(), half: rest }
}

const isRepeated = (streamed: Streamed, text: string, chunk: ChatChunk): boolean => {
  if (streamed.pieces === 0) return false
  if (chunk.whole) return true
  const long = chunk.finish !== undefined && streamed.pieces > 1 && text.length === streamed.length
  return long && append(nothing, text).hash === streamed.hash
}

const reasonOf = (word: string): "stop" | "tool_calls" | "length" => {
  switch (word.toLowerCase()) {
    case "length":
    case "max_tokens":
    case "limit":
      return "length"
    case "tool_calls":
    case "function_call":
    case "tool_use":
      return "tool_calls"
    default:
      return "stop"
  }
}

const usageOf = ({ usage, timings }: DecoderState): Usage | undefined => {
  const promptTokens = usage?.prompt ?? timings?.prompt
  const completionTokens = usage?.completion ?? timings?.completion
  if (promptTokens === undefined || completionTokens === undefined) return undefined
  return { promptTokens, completionTokens, cachedTokens: Math.min(usage?.cached ?? timings?.cached ?? 0, promptTokens) }
}
