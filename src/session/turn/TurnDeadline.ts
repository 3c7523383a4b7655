import * as Effect from "effect/Effect"
import { monotonicMs } from "../../domain/MonotonicTime.ts"
import type { TurnContext } from "./TurnContext.ts"
import type { OpenStep } from "./TurnEnd.ts"

/** How long the closing answer of a turn whose time is over may take, in milliseconds. */
const closingMs = 60_000

/** What ends a call or an answer that outlives its turn. */
export const outOfTime = (maxDurationMs: number): string =>
  `ended: the turn has taken longer than ${maxDurationMs} ms (agent.task.maxDurationMs)`

/**
 * Runs a part of a step until the turn's time is over; then it is interrupted, with `late` in its place. A step that began
 * when the time was over already has a minute of its own, to sum up.
 */
export const inTime = <A, E, R, E2, R2>(
  { startedAt, turn }: Pick<TurnContext, "startedAt" | "turn">,
  step: OpenStep,
  maxDurationMs: number,
  part: Effect.Effect<A, E, R>,
  late: Effect.Effect<A, E2, R2>
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.gen(function* () {
    const end = startedAt + maxDurationMs
    const until = step.startedAt >= end ? step.startedAt + closingMs : end
    const timer = Effect.sleep(Math.max(0, until - (yield* monotonicMs))).pipe(
      // First: what is interrupted by it tells why.
      Effect.andThen(Effect.sync(() => (turn.outOfTime = outOfTime(maxDurationMs)))),
      Effect.andThen(late)
    )
    return yield* Effect.raceFirst(part, timer)
  })
