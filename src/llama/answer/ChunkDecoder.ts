import type { CallDraft } from "./ToolCallAssembler.ts"
import * as ToolCallAssembler from "./ToolCallAssembler.ts"
import type { CallFragment, ChatChunk, Counts } from "./ChatChunk.ts"
import type { ModelEvent, Usage } from "../LlamaClient.ts"
import type { Overflow, Rejected } from "../LlamaError.ts"
import { toReason } from "../ServerError.ts"
import * as ThinkSplitter from "./ThinkSplitter.ts"
import { wireName } from "../../domain/Transcript.ts"
import type { ToolSpec } from "../../domain/ToolCall.ts"

/** What is known of one answer so far. */
export interface DecoderState {
  /** Dotted names by the names that the model knows. */
  readonly tools: ReadonlyMap<string, string>
  readonly think: ThinkSplitter.ThinkState
  /** What has come of text and reasoning, to recognise a last chunk that repeats everything. */
  readonly content: Heard
  readonly reasoning: Heard
  readonly calls: ReadonlyArray<CallDraft>
  /** Characters of all calls. */
  readonly callsLength: number
  readonly finish: "stop" | "tool_calls" | "length" | undefined
  readonly usage: Counts | undefined
  readonly timings: Counts | undefined
}

/** Words that were handed on, and of which only this is kept. */
interface Heard {
  readonly pieces: number
  readonly length: number
  readonly hash: number
}

/** What a chunk brought; after a `failure` the answer is over. */
export interface Decoded {
  readonly state: DecoderState
  readonly events: ReadonlyArray<ModelEvent>
  readonly failure?: Overflow | Rejected
}

const silence: Heard = { pieces: 0, length: 0, hash: 0x811c9dc5 }

export const start = (tools: ReadonlyArray<ToolSpec>): DecoderState => ({
  tools: new Map(tools.map((tool) => [wireName(tool.name), tool.name])),
  think: ThinkSplitter.start,
  content: silence,
  reasoning: silence,
  calls: [],
  callsLength: 0,
  finish: undefined,
  usage: undefined,
  timings: undefined
})

/** One chunk of an answer. The answer's `Finished` comes from {@link finish}, because usage may follow the reason. */
export const decode = (state: DecoderState, chunk: ChatChunk): Decoded => {
  if (chunk.complaint !== undefined) return { state, events: [], failure: toReason(chunk.complaint, 200) }
  if (chunk.finish === "error" || chunk.finish === "abort") {
    const words = `the server ended its answer with the reason "${chunk.finish}"`
    return { state, events: [], failure: toReason({ words }, 200) }
  }
  const events: Array<ModelEvent> = []
  if (chunk.progress !== undefined) events.push({ _tag: "Prefill", ...chunk.progress })
  let { think, content, reasoning } = state
  if (chunk.reasoning !== undefined && !isRepeated(reasoning, chunk.reasoning, chunk)) {
    reasoning = hear(reasoning, chunk.reasoning)
    events.push({ _tag: "Reasoning", text: chunk.reasoning })
  }
  if (chunk.content !== undefined && !isRepeated(content, chunk.content, chunk)) {
    content = hear(content, chunk.content)
    const step = ThinkSplitter.push(think, chunk.content)
    think = step.state
    // Some servers send the reasoning twice: in its own field and with its tags.
    if (step.reasoning !== "" && reasoning.pieces === 0) events.push({ _tag: "Reasoning", text: step.reasoning })
    if (step.text !== "") events.push({ _tag: "Text", text: step.text })
  }
  const { calls, callsLength } = chunk.calls.length === 0 ? state : withCalls(state, chunk.calls)
  const next: DecoderState = {
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
  const words = tooMuchOf(next)
  return words === undefined ? { state: next, events } : { state: next, events, failure: toReason({ words }, 200) }
}

/** The end of an answer that gave its reason: what was held back, and its one `Finished`; null: it gave none. */
export const finish = (state: DecoderState): ReadonlyArray<ModelEvent> | null => {
  if (state.finish === undefined) return null
  const rest = ThinkSplitter.finish(state.think)
  const usage = usageOf(state)
  const perSecond = state.timings?.perSecond
  const cut = state.finish === "length"
  return [
    ...(rest.reasoning !== "" && state.reasoning.pieces === 0
      ? [{ _tag: "Reasoning", text: rest.reasoning } as const]
      : []),
    ...(rest.text === "" ? [] : [{ _tag: "Text", text: rest.text } as const]),
    {
      _tag: "Finished",
      reason: cut ? "length" : state.calls.length > 0 ? "tool_calls" : "stop",
      calls: state.calls.map((call, index) => ({
        name: state.tools.get(call.name) ?? call.name,
        // Only the last call can have been cut: they come one after the other.
        args: ToolCallAssembler.toArguments(call, cut && index === state.calls.length - 1)
      })),
      ...(usage === undefined ? {} : { usage }),
      ...(perSecond === undefined ? {} : { tokensPerSecond: perSecond })
    }
  ]
}

/** Whether the model has said anything yet. */
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

/** A model, or a server, that does not stop: what it says is kept in memory until it does. */
const tooMuchOf = ({ calls, callsLength, content, reasoning }: DecoderState): string | undefined => {
  if (calls.length > maxCalls) return `the answer has more than ${maxCalls} tool calls`
  return content.length + reasoning.length + callsLength > maxLength
    ? `the answer has more than ${maxLength} characters`
    : undefined
}

/** Some four million tokens. */
const maxLength = 16 * 1024 * 1024

const maxCalls = 1000

const isTool = (state: DecoderState) => (name: string) => state.tools.has(name)

const hear = ({ pieces, length, hash }: Heard, text: string): Heard => {
  let next = hash
  for (let at = 0; at < text.length; at += 1) next = Math.imul(next ^ text.charCodeAt(at), 0x01000193)
  return { pieces: pieces + 1, length: length + text.length, hash: next }
}

const isRepeated = (heard: Heard, text: string, chunk: ChatChunk): boolean => {
  if (heard.pieces === 0) return false
  if (chunk.whole) return true
  const long = chunk.finish !== undefined && heard.pieces > 1 && text.length === heard.length
  return long && hear(silence, text).hash === heard.hash
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
