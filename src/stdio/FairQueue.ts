import * as Effect from "effect/Effect"

interface Waiting {
  readonly put: () => void
  readonly resume: (effect: Effect.Effect<void>) => void
}

/** Fibers that wait for room, let in one after the other in the order they came: none is overtaken for ever. */
export class FairQueue {
  #waiting: Array<Waiting> = []

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Ends when it was let in, `put` having been called then; who is interrupted leaves the line. */
  wait(put: () => void): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const waiting = { put, resume }
      this.#waiting.push(waiting)
      return Effect.sync(() => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting)
      })
    })
  }

  /** Lets in as many as there is room for. */
  letIn(hasRoom: () => boolean): void {
    while (hasRoom()) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      next.put()
      next.resume(Effect.void)
    }
  }
}
