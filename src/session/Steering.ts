import { maxSteers } from "./SessionLimits.ts"

/**
 * The texts that a turn was steered with and has not read. Each accepted text is given out once: by `take`, to be
 * applied, or by `close`, as undelivered.
 */
export interface Steering {
  /** Accepts a text, which then ends as applied or as undelivered; false if it is refused. */
  offer(text: string): boolean
  /** Takes the texts for the next model call. */
  take(): ReadonlyArray<string>
  /** Accepts nothing any more; texts that were accepted stay until `close`. */
  refuse(): void
  /** Accepts nothing any more and returns true if no text waits; else the turn must take another step. */
  closeIfEmpty(): boolean
  /** As `take`, and accepts nothing any more: for the last model call, or for what no call has read. */
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

  return {
    offer(text) {
      if (!open || unread.length === maxSteers || text.trim() === "") return false
      unread.push(text)
      return true
    },
    take,
    refuse() {
      open = false
    },
    closeIfEmpty() {
      if (unread.length === 0) open = false
      return !open
    },
    close() {
      open = false
      return take()
    }
  }
}
