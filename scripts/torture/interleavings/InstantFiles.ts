import Fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Answers what a session's start asks the file system at once: how long a disk takes is not the same twice, and a run
 * would not play the same way again.
 */
export const instantFiles: Effect.Effect<void, never, Scope.Scope> = Effect.asVoid(
  Effect.acquireRelease(
    Effect.sync(() => {
      const { stat } = Fs
      Object.assign(Fs, { stat: instantStat })
      syncBuiltinESMExports()
      return stat
    }),
    (stat) =>
      Effect.sync(() => {
        Object.assign(Fs, { stat })
        syncBuiltinESMExports()
      })
  )
)

const instantStat = (path: string, done: (error: unknown, stats?: Fs.Stats) => void): void => {
  const stats = Fs.statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) done(new Error(`there is no ${path}`))
  else done(null, stats)
}
