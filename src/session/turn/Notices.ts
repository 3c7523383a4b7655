import type { ToolSpec } from "../../domain/ToolCall.ts"
import { endsWithCall } from "./CallInText.ts"
import type { ModelAnswer } from "./ModelStep.ts"
import type { OpenStep } from "./TurnEnd.ts"

/** What the model is told with its next step instead of the turn ending, each once in a turn. */
export type Nudge = "silence" | "callInText"

/** What the model is told beside the user's words: kept in the history as a notice, which the host does not see. */
export const notices: { readonly [N in Nudge | "lastStep"]: string } = {
  lastStep:
    "[This was the last step of this turn: no tool will be run any more. Answer now, in words, and sum up what is done and what is left.]",
  silence: "[The last answer had no word for the user and no tool call. Go on: call a tool, or answer in words.]",
  callInText:
    "[The last answer had a tool call written as text, which is never run. Call tools in the way in which they were offered, not in the text of an answer; or answer in plain words.]"
}

/** True if an answer neither says nor asks for anything. */
export const isEmpty = ({ calls, text }: ModelAnswer): boolean => calls.length === 0 && text.trim() === ""

/**
 * What to tell the model after an answer so that its next one may do: that it said nothing (after a tool's result, or with
 * thoughts alone), or that its call is text. Undefined on the last step, and where the length limit has cut the answer, as
 * it would cut the next.
 */
export const nudgeFor = (
  answer: ModelAnswer,
  { index, isLast }: Pick<OpenStep, "index" | "isLast">,
  offered: ReadonlyArray<ToolSpec>
): Nudge | undefined => {
  if (isLast || answer.calls.length > 0 || answer.reason === "length") return undefined
  if (isEmpty(answer)) return index > 0 || answer.reasoning.trim() !== "" ? "silence" : undefined
  const names = offered.map(({ name }) => name)
  return endsWithCall(answer.text, names) ? "callInText" : undefined
}
