/** Validates a number of tokens in a server's JSON; undefined if it is not an integer from 0 to 1e12. */
export const tokenCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most ? value : undefined

/** The same for counts of which 0 means unknown. */
export const windowSize = (value: unknown): number | undefined => tokenCount(value) || undefined

const most = 1e12
