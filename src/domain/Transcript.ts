import type { Record } from "../protocol/SessionState.ts"

/** Something the model was told that no user said: the closing notice of a last step, a change of the skills. */
export interface Notice {
  readonly kind: "notice"
  readonly at: number
  readonly turnId: string
  readonly text: string
}

/** One committed thing of a session: what `get_session` shows, and the notices that only the model saw. */
export type Entry = Record | Notice

/** One message as a chat endpoint takes it. */
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

/** What the host may see of a history. */
export const visible = (entries: ReadonlyArray<Entry>): ReadonlyArray<Record> =>
  entries.filter((entry): entry is Record => entry.kind !== "notice")
