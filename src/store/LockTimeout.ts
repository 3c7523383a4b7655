import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** How long locks are waited for once the process is ending, in nanoseconds: 2 of the 3 s of contract 10. */
const maxWaitAtEnd = 2_000_000_000n

/** Limits the wait for a database that another process has locked. */
export interface LockTimeout {
  /** False once the time is used up. */
  readonly mayWait: Effect.Effect<boolean>
  /** The process is ending: waits end early, so that responses that depend on them are still written. */
  readonly hurry: Effect.Effect<void>
}

export const make = (): LockTimeout => {
  let until: bigint | undefined
  return {
    mayWait: Effect.map(Clock.monotonicTimeNanos, (now) => until === undefined || now < until),
    hurry: Effect.map(Clock.monotonicTimeNanos, (now) => {
      until ??= now + maxWaitAtEnd
    })
  }
}

/** Provided for each sidecar. By default the wait has no limit but that of each statement. */
export const LockTimeout = Context.Reference<LockTimeout>("atomic-agent-sidecar/store/LockTimeout", {
  defaultValue: make
})
