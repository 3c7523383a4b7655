/** How many steers may wait unread (contract 9, `limits.maxSteers`). */
export const maxSteers = 16

/**
 * The texts that a turn was steered with and has not read. Each accepted text is given out once: by `take`, to be
 * applied, or by `close`, as undelivered.
 */
export interface Steering {
  /** Whether the turn will read the text, or tell that it did not. */
  offer(text: string): boolean
  /** What the next model call reads. */
  take(): ReadonlyArray<string>
  /** As `take`, for the last model call: nothing is accepted from now on. */
  takeLast(): ReadonlyArray<string>
  /** Nothing is accepted from now on; what was accepted stays until `close`. */
  refuse(): void
  /** Closes if nothing waits; otherwise the turn must take another step. */
  closeIfEmpty(): boolean
  /** Ends it; what was accepted and not read. */
  close(): ReadonlyArray<string>
}

export const make = (): Steering => {
  let unread: Array<string> = []
  let open = true

  const take = () => {
    const taken = unread
    unread = []
    return taken
  }
  const close = () => {
    open = false
    return take()
  }

  return {
    offer(text) {
      if (!open || unread.length === maxSteers || text.trim() === "") return false
      unread.push(text)
      return true
    },
    take,
    takeLast: close,
    refuse() {
      open = false
    },
    closeIfEmpty() {
      if (unread.length === 0) open = false
      return !open
    },
    close
  }
}
