import * as Effect from "effect/Effect"

/** A turn of the event loop; then more, until the file system owes nobody an answer. */
export const turn: Effect.Effect<void> = Effect.callback((resume) => {
  const look = () =>
    setImmediate(() => {
      const isAwaiting = process
        .getActiveResourcesInfo()
        .some((name) => name.startsWith("FSReq") || name.startsWith("FileHandle"))
      if (isAwaiting) look()
      else resume(Effect.void)
    })
  look()
})
