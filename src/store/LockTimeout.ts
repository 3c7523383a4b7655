import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** How much longer a lock is waited for once the end has begun, in nanoseconds: two seconds of the three of contract 10. */
const lastPatience = 2_000_000_000n

/** Whether it is still worth waiting for a database that another program has locked. */
export interface LockTimeout {
  readonly isLeft: Effect.Effect<boolean>
  /** The end has begun: what waits gives up in time, so that what it holds up can still be told. */
  readonly hurry: Effect.Effect<void>
}

export const make = (): LockTimeout => {
  let until: bigint | undefined
  return {
    isLeft: Effect.map(Clock.monotonicTimeNanos, (now) => until === undefined || now < until),
    hurry: Effect.map(Clock.monotonicTimeNanos, (now) => {
      until ??= now + lastPatience
    })
  }
}

/** The patience of one sidecar; where nobody provides one it has no end of its own. */
export const LockTimeout = Context.Reference<LockTimeout>("atomic-agent-sidecar/store/LockTimeout", {
  defaultValue: make
})
