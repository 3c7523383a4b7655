import * as Cause from "effect/Cause"

/** What went wrong, in words, whatever it was that was thrown: these words are told where nothing may go wrong any more. */
export const wordsOf = (failure: unknown): string => {
  try {
    return failure instanceof Error && failure.message !== "" ? failure.message : String(failure)
  } catch {
    return untellable
  }
}

/** Where it came from, with all that stands behind it. */
export const traceOf = (cause: Cause.Cause<unknown>): string => {
  try {
    return Cause.pretty(cause)
  } catch {
    return untellable
  }
}

const untellable = "something was thrown that cannot be told"
