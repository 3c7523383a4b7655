import type { ToolArguments, ToolCall, ToolResult } from "../../domain/ToolCall.ts"

/** How often in a row the same call, or two in turn, may give the same result; the next is refused (runtime, Tools). */
const maxRepeats = 4

/** Calls that follow each other again and again, by their number. */
const rounds = [1, 2] as const

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

interface Result {
  readonly key: string
  readonly summary: string
}

/** The calls of one turn that are not made again: those that were denied, and one or two that keep giving the same. */
export class RepeatedCalls {
  readonly #denied = new Map<string, string>()
  /** The last results, the newest one last. */
  #last: ReadonlyArray<Result> = []

  /** Why a call is refused without being looked at; undefined where it is not. */
  refusalOf(call: ToolCall): string | undefined {
    const key = callKey(call)
    const denial = this.#denied.get(key)
    if (denial !== undefined) return `${denial} This call was denied before in this turn; it is not asked again.`
    const round = this.#roundOf(key)
    if (round === undefined) return undefined
    const same = round === 1 ? "this same one and gave the same result" : "these same two and gave the same results"
    return `refused: the last ${round * maxRepeats} calls were ${same}. Do something else, or answer.`
  }

  /** Keeps that a person denied a call; `denial` is the text that the model was given. */
  deny(call: ToolCall, denial: string): void {
    this.#denied.set(callKey(call), denial)
  }

  /** Keeps the result of a call. */
  remember(call: ToolCall, { summary }: ToolResult): void {
    const key = callKey(call)
    // A refusal is no result: the call stays refused until another one comes between.
    if (this.#roundOf(key) === undefined) this.#last = [...this.#last, { key, summary }].slice(-maxRepeats * 2)
  }

  /** How many calls have followed each other for too long, if this is one of them. */
  #roundOf(key: string): (typeof rounds)[number] | undefined {
    return rounds.find((round) => {
      const last = this.#last.slice(-maxRepeats * round)
      return (
        last.length === maxRepeats * round &&
        last.slice(-round).some((result) => result.key === key) &&
        last.every(({ key, summary }, at) => {
          const before = last[at - round]
          return before === undefined || (before.key === key && before.summary === summary)
        })
      )
    })
  }
}
