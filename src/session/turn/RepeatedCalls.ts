import type { ToolArguments, ToolCall, ToolResult } from "../../domain/ToolCall.ts"

/** How often in a row the same call may give the same result; the next one is refused (runtime, Tools). */
const maxRepeats = 4

/** What a call's arguments look like from outside: the raw text where they were no JSON object. */
export const shownArgs = (args: ToolArguments): unknown => (args._tag === "Parsed" ? args.value : args.raw)

/** Two calls are the same if tool and arguments are, as JSON, whatever the order of the keys. */
const callKey = ({ args, tool }: ToolCall): string => `${tool} ${JSON.stringify(sorted(shownArgs(args)))}`

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)])
  )
}

/** The calls of one turn that are not made again: those that were denied, and one that keeps giving the same result. */
export class RepeatedCalls {
  readonly #denied = new Map<string, string>()
  #last: { readonly key: string; readonly summary: string; readonly times: number } | undefined

  /** Why a call is refused without being looked at; undefined where it is not. */
  refusalOf(call: ToolCall): string | undefined {
    const key = callKey(call)
    const denial = this.#denied.get(key)
    if (denial !== undefined) return `${denial} This call was denied before in this turn; it is not asked again.`
    if (this.#isWornOut(key)) {
      return `refused: the last ${maxRepeats} calls were this same one and gave the same result. Do something else, or answer.`
    }
    return undefined
  }

  /** Keeps that a person denied a call; `denial` is the text that the model was given. */
  deny(call: ToolCall, denial: string): void {
    this.#denied.set(callKey(call), denial)
  }

  /** Keeps the result of a call. */
  remember(call: ToolCall, { summary }: ToolResult): void {
    const key = callKey(call)
    // A refusal is no result: the call stays refused until another one comes between.
    if (this.#isWornOut(key)) return
    const isSame = this.#last?.key === key && this.#last.summary === summary
    this.#last = { key, summary, times: isSame ? (this.#last?.times ?? 0) + 1 : 1 }
  }

  #isWornOut(key: string): boolean {
    return this.#last?.key === key && this.#last.times >= maxRepeats
  }
}
