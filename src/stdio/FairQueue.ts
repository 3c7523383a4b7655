import * as Effect from "effect/Effect"

interface Waiting {
  readonly put: () => void
  readonly resume: (effect: Effect.Effect<void>) => void
}

/** Fibers that wait for room. They are let in in the order of their arrival, so that none waits for ever. */
export class FairQueue {
  #waiting: Array<Waiting> = []

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Waits until the fiber is let in; `put` is called at that moment. An interrupted fiber leaves the queue. */
  wait(put: () => void): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const waiting = { put, resume }
      this.#waiting.push(waiting)
      return Effect.sync(() => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting)
      })
    })
  }

  /** Lets in the next fiber, as long as there is room. */
  letIn(hasRoom: () => boolean): void {
    while (hasRoom()) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      next.put()
      next.resume(Effect.void)
    }
  }
}
