import * as Effect from "effect/Effect"
import type { Gap } from "./Acts.ts"
import * as Stage from "./Stage.ts"

/** What lies between two acts. */
export const gap = (gap: Gap): Effect.Effect<void> => {
  switch (gap.wait) {
    case "nothing":
      return Effect.void
    case "microtasks":
      return Effect.promise(async () => {
        for (let left = gap.count; left > 0; left--) await undefined
      })
    case "turns":
      return Effect.gen(function* () {
        for (let left = gap.count; left > 0; left--) yield* Stage.quiet
      })
  }
}
