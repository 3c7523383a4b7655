import type { ResponseHead } from "../../http/HttpExchange.ts"
import type { ToolSpec } from "../../domain/ToolCall.ts"
import { excerpt, kindOf, webPage } from "../ErrorResponse.ts"
import type { ModelEvent } from "../LlamaClient.ts"
import type { LlamaError } from "../LlamaError.ts"
import { Malformed } from "../LlamaError.ts"
import { parseJson } from "../ParseJson.ts"
import * as ChatChunk from "./ChatChunk.ts"
import * as ChatStream from "./ChatStream.ts"
import type { ChatStreamEnd, ChatStreamState, ChatStreamStep } from "./ChatStream.ts"
import * as ChunkDecoder from "./ChunkDecoder.ts"
import { maxEventBytes } from "./EventStream.ts"

type Reason = LlamaError["reason"]

/** How far the body of a response with status 200 has been read: events, or in their place JSON or a web page. */
export interface ResponseBodyState {
  readonly head: ResponseHead
  readonly stream: ChatStreamState
  readonly kind: "events" | "json" | "page" | "unknown"
  /** All reads so far of a body that is not a stream, and their length in bytes. */
  readonly parts: ReadonlyArray<Uint8Array>
  readonly bytes: number
  /** True once text, reasoning, a call or the finish reason has arrived. */
  readonly begun: boolean
}

/** The result of one read; see {@link ChatStreamStep}. */
export interface ResponseBodyStep {
  readonly state: ResponseBodyState
  readonly events: ReadonlyArray<ModelEvent>
  /** True if this read counts as a sign of life. */
  readonly alive: boolean
  readonly end?: ChatStreamEnd
}

export const start = (head: ResponseHead, tools: ReadonlyArray<ToolSpec>): ResponseBodyState => ({
  head,
  stream: ChatStream.start(tools),
  kind: "unknown",
  parts: [],
  bytes: 0,
  begun: false
})

/** Takes one read of the body. */
export const push = (state: ResponseBodyState, read: Uint8Array): ResponseBodyStep => {
  if (state.kind === "events") return fromStream(state, ChatStream.push(state.stream, read))
  const parts = [...state.parts, read]
  const bytes = state.bytes + read.length
  const kind = state.kind === "unknown" ? kindOf(state.head, Buffer.concat(parts).toString("utf8")) : state.kind
  if (kind === "events") {
    return push({ ...state, kind, parts: [], bytes: 0 }, Buffer.concat(parts))
  }
  // Only white space so far.
  if (kind === "unknown") return { state: { ...state, parts: [], bytes: 0 }, events: [], alive: false }
  const next = { ...state, kind, parts, bytes }
  const limit = kind === "json" ? maxEventBytes : maxPageBytes
  return bytes > limit ? conclude(next) : { state: next, events: [], alive: kind === "json" }
}

/** Takes the end of the body; `how` is the failure if the answer is not complete. */
export const finish = (state: ResponseBodyState, how: Reason): ResponseBodyStep =>
  state.kind === "events" || state.kind === "unknown"
    ? fromStream(state, ChatStream.finish(state.stream, how))
    : conclude(state)

/** True once the finish reason has arrived, after which only usage and timings follow. */
export const hasFinishReason = (state: ResponseBodyState): boolean => state.stream.decoder.finish !== undefined

/** The model as the server names it in its answer, as far as it has come. */
export const modelOf = (state: ResponseBodyState): string | undefined => state.stream.decoder.model

/** How much of a web page is read, in bytes: enough for its title. */
const maxPageBytes = 64 * 1024

const fromStream = (
  before: ResponseBodyState,
  { alive, end, events, state: stream }: ChatStreamStep
): ResponseBodyStep => {
  const state = { ...before, stream, begun: before.begun || ChunkDecoder.hasBegun(stream.decoder) }
  return end === undefined ? { state, events, alive } : { state, events, alive, end }
}

/** Decodes a whole body that was not streamed. */
const conclude = (state: ResponseBodyState): ResponseBodyStep => {
  const body = Buffer.concat(state.parts).toString("utf8")
  const failed = (reason: Reason): ResponseBodyStep => ({
    state,
    events: [],
    alive: true,
    end: { _tag: "Failed", reason }
  })
  if (state.kind === "page") return failed(webPage(state.head, body))
  const chunk = ChatChunk.narrow(parseJson(body))
  if (chunk === null) {
    return failed(Malformed.make({ detail: `the server's answer is no chat completion: ${excerpt(state.head, body)}` }))
  }
  const decoded = ChunkDecoder.decode(state.stream.decoder, chunk)
  const last = decoded.failure === undefined ? ChunkDecoder.finish(decoded.state) : null
  if (last !== null) {
    const stream = { ...state.stream, decoder: decoded.state }
    return { state: { ...state, stream }, events: [...decoded.events, ...last], alive: true, end: { _tag: "Complete" } }
  }
  return failed(
    decoded.failure ?? Malformed.make({ detail: "the server's answer is a chat completion without a finish reason" })
  )
}
