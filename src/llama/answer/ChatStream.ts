import { cutText } from "../../domain/CutText.ts"
import type { ToolSpec } from "../../domain/ToolCall.ts"
import type { ModelEvent } from "../LlamaClient.ts"
import { Cut, Malformed } from "../LlamaError.ts"
import type { LlamaError } from "../LlamaError.ts"
import { parseComplaint, toReason } from "../ServerError.ts"
import * as ChatChunk from "./ChatChunk.ts"
import * as ChunkDecoder from "./ChunkDecoder.ts"
import * as EventStream from "./EventStream.ts"
import type { ServerEvent } from "./EventStream.ts"

/** How far a streamed chat completion has been read. */
export interface ChatStreamState {
  readonly lines: EventStream.EventStreamState
  readonly decoder: ChunkDecoder.DecoderState
}

/** The result of one read; after `end` the rest of the body is ignored. */
export interface ChatStreamStep {
  readonly state: ChatStreamState
  readonly events: ReadonlyArray<ModelEvent>
  /** True if this read counts as a sign of life. A ping does not: a hung server goes on pinging. */
  readonly alive: boolean
  readonly end?: ChatStreamEnd
}

export type ChatStreamEnd =
  | { readonly _tag: "Complete" }
  | { readonly _tag: "Failed"; readonly reason: LlamaError["reason"] }

export const start = (tools: ReadonlyArray<ToolSpec>): ChatStreamState => ({
  lines: EventStream.start,
  decoder: ChunkDecoder.start(tools)
})

/** Takes one read of the body, which may begin and end within a line or a character. */
export const push = (state: ChatStreamState, bytes: Uint8Array): ChatStreamStep => {
  const step = EventStream.push(state.lines, bytes)
  const read = readEvents(state, step.state, step.events)
  if (read.end !== undefined || !step.tooLong) return read
  const limit = `an event of the answer is longer than ${EventStream.maxEventBytes} bytes`
  return { ...read, end: { _tag: "Failed", reason: Malformed.make({ detail: limit }) } }
}

/** Takes the end of the body: an answer with a finish reason is complete, any other has failed with `how`. */
export const finish = (state: ChatStreamState, how: LlamaError["reason"]): ChatStreamStep => {
  const read = readEvents(state, state.lines, EventStream.finish(state.lines))
  // Invalid JSON at the very end is an event that was cut off, so the answer failed with `how`.
  if (read.end !== undefined && !(read.end._tag === "Failed" && read.end.reason._tag === "Malformed")) return read
  return conclude(read, how)
}

const doneWithoutReason = Cut.make({ detail: "the answer ended without a finish reason" })

const conclude = (read: ChatStreamStep, how: LlamaError["reason"]): ChatStreamStep => {
  const last = ChunkDecoder.finish(read.state.decoder)
  return last === null
    ? { ...read, end: { _tag: "Failed", reason: how } }
    : { ...read, events: [...read.events, ...last], end: { _tag: "Complete" } }
}

const readEvents = (
  from: ChatStreamState,
  lines: EventStream.EventStreamState,
  incoming: ReadonlyArray<ServerEvent>
): ChatStreamStep => {
  const events: Array<ModelEvent> = []
  let { decoder } = from
  let alive = false
  const stop = (end?: ChatStreamEnd): ChatStreamStep => {
    const state = { lines, decoder }
    return end === undefined ? { state, events, alive } : { state, events, alive, end }
  }
  const take = (chunk: ChatChunk.ChatChunk): ChatStreamEnd | undefined => {
    alive = true
    const decoded = ChunkDecoder.decode(decoder, chunk)
    decoder = decoded.state
    for (const each of decoded.events) events.push(each)
    return decoded.failure === undefined ? undefined : { _tag: "Failed", reason: decoded.failure }
  }
  for (const event of incoming) {
    if (isDone(event.data)) return conclude(stop(), doneWithoutReason)
    const payloads = parse(event.data)
    if (event.name === "error") {
      const error = parseComplaint(payloads?.[0] ?? event.data) ?? { message: event.data }
      return stop({ _tag: "Failed", reason: toReason(error, 200) })
    }
    if (payloads === null) {
      if (event.name === "bare") continue
      const detail = `the server sent what is no JSON: ${cutText(event.data, 200)}`
      return stop({ _tag: "Failed", reason: Malformed.make({ detail }) })
    }
    for (const payload of payloads) {
      const chunk = ChatChunk.narrow(payload)
      if (chunk === null) continue
      const failure = take(chunk)
      if (failure !== undefined) return stop(failure)
    }
  }
  return stop()
}

const isDone = (data: string): boolean => data.length < 20 && data.trim().toUpperCase() === "[DONE]"

/** The payloads of an event: several if the server left out the blank lines between events; null if one is not JSON. */
const parse = (data: string): ReadonlyArray<unknown> | null => {
  try {
    return [JSON.parse(data)]
  } catch {
    if (!data.includes("\n")) return null
  }
  try {
    const lines = data.split("\n").filter((line) => !isDone(line))
    return lines.map((line): unknown => JSON.parse(line))
  } catch {
    return null
  }
}
