import * as ChatChunk from "./answer/ChatChunk.ts"
import * as ChunkDecoder from "./answer/ChunkDecoder.ts"
import { kindOf, page, parse, wordsOf } from "./HttpAnswers.ts"
import type { HttpAnswer } from "./HttpHead.ts"
import type { ModelEvent } from "./LlamaClient.ts"
import type { LlamaError } from "./LlamaError.ts"
import { Malformed } from "./LlamaError.ts"
import { maxEventBytes } from "./answer/EventStream.ts"
import type { ReplyEnd, ReplyState } from "./ReplyReader.ts"
import * as ReplyReader from "./ReplyReader.ts"
import type { ToolSpec } from "../domain/ToolCall.ts"

type Reason = LlamaError["reason"]

/** The body of an answer with status 200: events as asked for, or what some send instead. */
export interface AnswerState {
  readonly answer: HttpAnswer
  readonly reply: ReplyState
  readonly kind: "events" | "json" | "page" | "unknown"
  /** What has come of a body that is no stream. */
  readonly held: ReadonlyArray<Uint8Array>
  readonly heldBytes: number
  /** Whether any words have come. */
  readonly begun: boolean
}

export interface AnswerStep {
  readonly state: AnswerState
  readonly events: ReadonlyArray<ModelEvent>
  /** Whether the server gave a sign of life: a ping is none, since a hung server goes on pinging. */
  readonly alive: boolean
  readonly end?: ReplyEnd
}

export const start = (answer: HttpAnswer, tools: ReadonlyArray<ToolSpec>): AnswerState => ({
  answer,
  reply: ReplyReader.start(tools),
  kind: "unknown",
  held: [],
  heldBytes: 0,
  begun: false
})

/** One read of the body. */
export const push = (state: AnswerState, bytes: Uint8Array): AnswerStep => {
  if (state.kind === "events") return fromReply(state, ReplyReader.push(state.reply, bytes))
  const held = [...state.held, bytes]
  const heldBytes = state.heldBytes + bytes.length
  const kind = state.kind === "unknown" ? kindOf(state.answer, Buffer.concat(held).toString("utf8")) : state.kind
  if (kind === "events") {
    return push({ ...state, kind, held: [], heldBytes: 0 }, Buffer.concat(held))
  }
  // Empty lines.
  if (kind === "unknown") return { state: { ...state, held: [], heldBytes: 0 }, events: [], alive: false }
  const next = { ...state, kind, held, heldBytes }
  const limit = kind === "json" ? maxEventBytes : maxPageBytes
  return heldBytes > limit ? conclude(next) : { state: next, events: [], alive: kind === "json" }
}

/** The end of the body; `how` is what it means if the answer is not complete. */
export const finish = (state: AnswerState, how: Reason): AnswerStep =>
  state.kind === "events" || state.kind === "unknown"
    ? fromReply(state, ReplyReader.finish(state.reply, how))
    : conclude(state)

/** Whether the answer could end here: it has given its reason, and only numbers may follow. */
export const isSaid = (state: AnswerState): boolean => state.reply.decoder.finish !== undefined

/** Enough of a page for its title. */
const maxPageBytes = 64 * 1024

const fromReply = (before: AnswerState, { alive, end, events, state: reply }: ReplyReader.ReplyStep): AnswerStep => {
  const state = { ...before, reply, begun: before.begun || ChunkDecoder.hasBegun(reply.decoder) }
  return end === undefined ? { state, events, alive } : { state, events, alive, end }
}

/** A whole body that was not streamed. */
const conclude = (state: AnswerState): AnswerStep => {
  const body = Buffer.concat(state.held).toString("utf8")
  const failed = (reason: Reason): AnswerStep => ({ state, events: [], alive: true, end: { _tag: "Failed", reason } })
  if (state.kind === "page") return failed(page(state.answer, body))
  const chunk = ChatChunk.narrow(parse(body))
  if (chunk === null) {
    return failed(
      Malformed.make({ detail: `the server's answer is no chat completion: ${wordsOf(state.answer, body)}` })
    )
  }
  const decoded = ChunkDecoder.decode(state.reply.decoder, chunk)
  const last = decoded.failure === undefined ? ChunkDecoder.finish(decoded.state) : null
  if (last !== null) {
    return { state, events: [...decoded.events, ...last], alive: true, end: { _tag: "Complete" } }
  }
  return failed(
    decoded.failure ?? Malformed.make({ detail: "the server's answer is a chat completion without a finish reason" })
  )
}
