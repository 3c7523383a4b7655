import type { ToolArguments, ToolCall, ToolResult } from "../domain/ToolCall.ts"
import type { TurnState } from "./TurnState.ts"

/** How often in a row the same call may give the same result; the next one is refused (runtime, Tools). */
const maxRepeats = 4

/** What a call's arguments look like from outside: the raw text where they were no JSON object. */
export const shownArgs = (args: ToolArguments): unknown => (args._tag === "Parsed" ? args.value : args.raw)

/** Two calls are the same if tool and arguments are, as JSON, whatever the order of the keys. */
export const callKey = ({ args, tool }: ToolCall): string => `${tool} ${JSON.stringify(sorted(shownArgs(args)))}`

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)])
  )
}

/** Why a call is not even looked at: it was denied in this turn, or has just given the same result four times. */
export const refusalOf = (progress: TurnState, call: ToolCall): string | undefined => {
  const key = callKey(call)
  const denied = progress.denied.get(key)
  if (denied !== undefined) return `${denied} This call was denied before in this turn; it is not asked again.`
  if (progress.repeated?.key === key && progress.repeated.times >= maxRepeats) {
    return `refused: the last ${maxRepeats} calls were this same one and gave the same result. Do something else, or answer.`
  }
  return undefined
}

/** Keeps what a call came to. */
export const remember = (progress: TurnState, call: ToolCall, { summary }: ToolResult): void => {
  const key = callKey(call)
  // A refusal is no result: the call stays refused until another one comes between.
  if (progress.repeated?.key === key && progress.repeated.times >= maxRepeats) return
  const same = progress.repeated?.key === key && progress.repeated.summary === summary
  progress.repeated = { key, summary, times: same ? (progress.repeated?.times ?? 0) + 1 : 1 }
}
