import * as Fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Answers what a session's start asks the file system at once: how long a disk takes is not the same twice, and a run
 * would not play the same way again.
 */
export const quickFiles: Effect.Effect<void, never, Scope.Scope> = Effect.asVoid(
  Effect.acquireRelease(
    Effect.sync(() => {
      const { open, stat } = Fs.promises
      const quick = {
        stat: async (path: string) => Fs.statSync(path),
        open: async (path: string) => {
          throw new Error(`there is no ${path}`)
        }
      }
      Object.assign(Fs.promises, quick)
      syncBuiltinESMExports()
      return { open, stat }
    }),
    (original) =>
      Effect.sync(() => {
        Object.assign(Fs.promises, original)
        syncBuiltinESMExports()
      })
  )
)
