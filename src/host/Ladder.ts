/** One way to make something end, and how long it may take, in milliseconds. */
export interface Rung {
  readonly step: () => void
  readonly waitMs: number
}

/** Takes one rung after the other until it has ended; false where the last one did not help either. */
export const climb = async (ended: Promise<unknown>, rungs: ReadonlyArray<Rung>): Promise<boolean> => {
  for (const { step, waitMs } of rungs) {
    step()
    if (await within(ended, waitMs)) return true
  }
  return false
}

const within = (ended: Promise<unknown>, waitMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), waitMs)
    void ended.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
