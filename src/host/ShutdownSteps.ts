/** One way to make a process end, and how long to wait for its effect, in milliseconds. */
export interface ShutdownStep {
  readonly run: () => void
  readonly waitMs: number
}

/** Runs the steps in order until `ended` settles. Resolves with false if it has not settled after the last one. */
export const runShutdownSteps = async (
  ended: Promise<unknown>,
  steps: ReadonlyArray<ShutdownStep>
): Promise<boolean> => {
  for (const { run, waitMs } of steps) {
    run()
    if (await settlesWithin(ended, waitMs)) return true
  }
  return false
}

const settlesWithin = (promise: Promise<unknown>, waitMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), waitMs)
    void promise.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
