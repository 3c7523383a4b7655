import { isObject } from "effect/Predicate"
import { type Entry, wireName } from "../../domain/Transcript.ts"
import { wellFormedJson } from "../../protocol/WellFormed.ts"
import type { MessageForm } from "./MessageForm.ts"
import { wireId } from "./WireId.ts"

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

type Call = Extract<Entry, { kind: "assistant_tool_call" }>

/** The result of a call without one, since servers refuse a history in which one is missing. */
export const noResult = "No result: the turn ended before this call was run."

/**
 * What stands between two texts that templates refuse side by side: the assistant's word between two texts of the user or
 * behind a tool's result, the user's between two of the assistant. They never change, as what was sent must not.
 */
export const between = { assistant: "Understood.", user: "Please go on." } as const

/** What is sent in place of a text or a result without a visible character, which templates refuse or drop. */
export const blank = { user: "(no text)", tool: "(no output)" } as const

/**
 * The messages for the model in a history (runtime, Prompt). They only grow at their end: those of a history are the
 * beginning of those of any longer one. User and assistant take turns, none is empty, and behind a tool's result comes
 * the assistant.
 */
export const make = (entries: ReadonlyArray<Entry>, form: MessageForm): ReadonlyArray<ChatMessage> => {
  const results = new Map<string, string>()
  for (const entry of entries) {
    if (entry.kind === "tool_result" && !results.has(entry.callId)) results.set(entry.callId, entry.summary)
  }
  const messages = new Messages()
  let index = 0
  while (index < entries.length) {
    const entry = entries[index++]
    if (entry === undefined || entry.kind === "tool_result") continue
    if (entry.kind === "user" || entry.kind === "notice") {
      messages.user(entry.text)
      continue
    }
    let content = ""
    if (entry.kind === "assistant_reply") {
      if (entry.progressNote !== true || entries[index]?.kind !== "assistant_tool_call") {
        if (entry.text.trim() !== "") messages.assistant({ content: entry.text })
        continue
      }
      content = entry.text
    } else index -= 1
    const calls = callsFrom(entries, index)
    index += calls.length
    addStep[form](messages, content, calls, ({ callId }) => visible(results.get(callId) ?? noResult, blank.tool))
  }
  return messages.all
}

/** The calls that stand together from an index on: those of one step. */
const callsFrom = (entries: ReadonlyArray<Entry>, from: number): ReadonlyArray<Call> => {
  const calls: Array<Call> = []
  for (let index = from; ; index += 1) {
    const entry = entries[index]
    if (entry?.kind !== "assistant_tool_call") return calls
    calls.push(entry)
  }
}

/** Adds a step with its words, its calls and their results, in each form. */
const addStep: {
  readonly [F in MessageForm]: (
    messages: Messages,
    content: string,
    calls: ReadonlyArray<Call>,
    resultOf: (call: Call) => string
  ) => void
} = {
  batched: (messages, content, calls, resultOf) => {
    messages.assistant({ content, ...reasoningOf(calls), tool_calls: calls.map(toWire) })
    for (const call of calls) messages.result(call, resultOf(call))
  },
  single: (messages, content, calls, resultOf) => {
    for (const [index, call] of calls.entries()) {
      const beside = index === 0 ? { content, ...reasoningOf(calls) } : { content: "" }
      messages.assistant({ ...beside, tool_calls: [toWire(call)] })
      messages.result(call, resultOf(call))
    }
  },
  text: (messages, content, calls, resultOf) => {
    const called = calls.map((call) => `[Called ${wireName(call.tool)} with ${argumentsOf(call)}]`)
    messages.assistant({ content: [...(content.trim() === "" ? [] : [content]), ...called].join("\n") })
    messages.user(calls.map((call) => `[Result of ${wireName(call.tool)}]\n${resultOf(call)}`).join("\n\n"))
  }
}

/** Messages that take turns: what is added gets a message before it where the template wants one. */
class Messages {
  readonly all: Array<ChatMessage> = []

  user(text: string): void {
    const last = this.all.at(-1)?.role
    if (last === "user" || last === "tool") this.all.push({ role: "assistant", content: between.assistant })
    this.all.push({ role: "user", content: visible(text, blank.user) })
  }

  assistant(message: Omit<Extract<ChatMessage, { role: "assistant" }>, "role">): void {
    const last = this.all.at(-1)?.role
    if (last === "assistant" || last === undefined) this.all.push({ role: "user", content: between.user })
    this.all.push({ role: "assistant", ...message })
  }

  result({ callId }: Call, content: string): void {
    this.all.push({ role: "tool", tool_call_id: wireId(callId), content })
  }
}

const visible = (text: string, instead: string): string => (text.trim() === "" ? instead : text)

/** What led to a step is kept at its first call. */
const reasoningOf = ([first]: ReadonlyArray<Call>) =>
  first?.reasoning === undefined ? {} : { reasoning_content: first.reasoning }

const toWire = (call: Call): ChatToolCall => ({
  id: wireId(call.callId),
  type: "function",
  function: { name: wireName(call.tool), arguments: argumentsOf(call) }
})

/** Servers refuse a whole history for one call whose arguments are no object. */
const argumentsOf = ({ args }: Call): string => (isObject(args) ? wellFormedJson(args) : "{}")
