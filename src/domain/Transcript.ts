import { isObject } from "effect/Predicate"
import type { SessionRecord } from "../protocol/SessionState.ts"
import { wellFormedJson } from "./WellFormed.ts"

/** A message of the sidecar to the model: that this is the last step, or that the skills have changed. */
export interface Notice {
  readonly kind: "notice"
  readonly at: number
  readonly turnId: string
  readonly text: string
}

/** One committed entry of a session: a record, which `get_session` returns, or a notice, which only the model reads. */
export type Entry = SessionRecord | Notice

/** One message of a request to a chat endpoint. */
export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant"
      readonly content: string
      readonly reasoning_content?: string
      readonly tool_calls?: ReadonlyArray<ChatToolCall>
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string }

export interface ChatToolCall {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A tool's name in a request to a chat endpoint, which allows at most 64 letters, digits, `_` and `-`. */
export const wireName = (tool: string): string => tool.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unnamed"

/** The result of a call without one, since servers refuse a history in which one is missing. */
export const noResult = "No result: the turn ended before this call was run."

/** The records of a history, without the notices. */
export const visible = (entries: ReadonlyArray<Entry>): ReadonlyArray<SessionRecord> =>
  entries.filter((entry): entry is SessionRecord => entry.kind !== "notice")

/**
 * The messages for the model in a history (runtime, Prompt). They only grow at their end: the messages of a history are
 * the beginning of those of any longer one, except that more text may be added to a last message of the user.
 */
export const toMessages = (entries: ReadonlyArray<Entry>): ReadonlyArray<ChatMessage> => {
  const results = new Map<string, string>()
  for (const entry of entries) {
    if (entry.kind === "tool_result" && !results.has(entry.callId)) results.set(entry.callId, entry.summary)
  }
  const messages: Array<ChatMessage> = []
  let index = 0
  while (index < entries.length) {
    const entry = entries[index++]
    if (entry === undefined || entry.kind === "tool_result") continue
    if (entry.kind === "user" || entry.kind === "notice") {
      const last = messages.at(-1)
      if (last?.role !== "user") messages.push({ role: "user", content: entry.text })
      else messages[messages.length - 1] = { role: "user", content: `${last.content}\n\n${entry.text}` }
      continue
    }
    if (entry.kind === "assistant_reply") {
      const next = entries[index]
      if (entry.progressNote === true && next?.kind === "assistant_tool_call") {
        index = pushStep(messages, entries, index, results, entry.text)
        continue
      }
      if (entry.text.trim() === "") continue
      const last = messages.at(-1)
      if (last?.role !== "assistant" || last.tool_calls !== undefined) {
        messages.push({ role: "assistant", content: entry.text })
        continue
      }
      messages[messages.length - 1] = { role: "assistant", content: `${last.content}\n\n${entry.text}` }
      continue
    }
    index = pushStep(messages, entries, index - 1, results, "")
  }
  return messages
}

/** Adds the consecutive calls from `from` on as one step, and returns the index behind them. */
const pushStep = (
  messages: Array<ChatMessage>,
  entries: ReadonlyArray<Entry>,
  from: number,
  results: ReadonlyMap<string, string>,
  content: string
): number => {
  const calls: Array<ChatToolCall> = []
  let reasoning: string | undefined
  let index = from
  for (;;) {
    const entry = entries[index]
    if (entry?.kind !== "assistant_tool_call") break
    reasoning ??= entry.reasoning
    calls.push({
      id: entry.callId,
      type: "function",
      // Servers refuse a whole history for one call whose arguments are no object.
      function: {
        name: wireName(entry.tool),
        arguments: isObject(entry.args) ? wellFormedJson(entry.args) : "{}"
      }
    })
    index += 1
  }
  messages.push({
    role: "assistant",
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    tool_calls: calls
  })
  for (const call of calls) {
    messages.push({ role: "tool", tool_call_id: call.id, content: results.get(call.id) ?? noResult })
  }
  return index
}
