import * as Effect from "effect/Effect"

/**
 * The longest that a test waits for one thing, in milliseconds of real time whatever a `TestClock` says. Shorter than the
 * time limit of a test, so that a hang becomes a failure that names what did not come.
 */
export const patienceMs = 20_000

/** Between two looks at what cannot be waited for, in milliseconds. */
const pollMs = 5

type What = string | (() => string)

const failure = (what: What, ms = patienceMs) =>
  new Error(`waited ${ms / 1000} s in vain for ${typeof what === "string" ? what : what()}`)

/** The effect, which must be interruptible; dies with `what` was awaited where it takes too long. */
export const awaited = <A, E, R>(
  what: What,
  effect: Effect.Effect<A, E, R>,
  ms: number = patienceMs
): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never>((resume) => {
      const timer = setTimeout(() => resume(Effect.die(failure(what, ms))), ms)
      return Effect.sync(() => clearTimeout(timer))
    })
  )

/** The promise; rejects with `what` was awaited where it takes too long. */
export const awaitedPromise = <A>(what: What, promise: Promise<A>): Promise<A> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(failure(what)), patienceMs)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Looks again and again until it is so: for processes and files of others, which tell nobody. */
export const eventually = (what: What, isSo: () => boolean): Effect.Effect<void> =>
  awaited(
    what,
    Effect.callback((resume) => {
      const look = () => {
        if (isSo()) return resume(Effect.void)
        timer = setTimeout(look, pollMs)
      }
      let timer = setTimeout(look, 0)
      return Effect.sync(() => clearTimeout(timer))
    })
  )
