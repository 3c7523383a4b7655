import * as Cause from "effect/Cause"

/** The message of anything thrown. Never throws itself, since it is used where errors are reported. */
export const wordsOf = (failure: unknown): string => {
  try {
    return failure instanceof Error && failure.message !== "" ? failure.message : String(failure)
  } catch {
    return unprintable
  }
}

/** The stack of a failure, with all its causes. Never throws itself. */
export const traceOf = (cause: Cause.Cause<unknown>): string => {
  try {
    return Cause.pretty(cause)
  } catch {
    return unprintable
  }
}

const unprintable = "something was thrown that cannot be told"
